import type { Command } from 'commander'
import { commandGroup } from './command-group.ts'

const json = ['--json', 'print one JSON document on stdout and nothing else', false] as const
const ofWorkspace = ['--workspace <slug>', 'the workspace'] as const

/** The commands that say from the log why something is as it is. */
export function addWhys(tidings: Command): void {
  commandGroup(tidings, 'consent', 'what a person consented to, and the proof of it')
    .command('show')
    .description('the consent of a contact on each channel, now or at a moment, with every statement that led to it')
    .requiredOption(...ofWorkspace)
    .requiredOption('--id <uuid>', 'the contact')
    .option('--at <time>', 'as it was then: 2026-11-21T09:00:00Z, or a date, which is its midnight in UTC')
    .option(...json)
    .action(async (options) => (await import('./commands/consent-show.ts')).show(options))
}
