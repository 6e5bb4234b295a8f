import type { Command } from 'commander'
import { commandGroup } from './command-group.ts'
import { json, ofWorkspace } from './options.ts'

/** The commands that say from the log why something is as it is. */
export function addWhys(tidings: Command): void {
  commandGroup(tidings, 'consent', 'what a person consented to, and the proof of it')
    .command('show')
    .description('the consent of a contact on each channel, now or at a moment, with every statement that led to it')
    .requiredOption(...ofWorkspace)
    .requiredOption('--id <id>', 'the contact: its UUID, email or phone')
    .option('--at <time>', 'as it was then: 2026-11-21T09:00:00Z, or a date, which is its midnight in UTC')
    .option(...json)
    .action(async (options) => (await import('../commands/consent-show.ts')).show(options))
  commandGroup(tidings, 'message', 'messages, and how each came to be')
    .command('why')
    .description('every fact that led to a message and its status, oldest first')
    .requiredOption(...ofWorkspace)
    .requiredOption('--id <uuid>', 'the message')
    .option(...json)
    .action(async (options) => (await import('../commands/message-why.ts')).why(options))
  commandGroup(tidings, 'webhook', 'endpoints that receive events')
    .command('why')
    .description('what a delivery reports, what became of each try, and why it ended or waits')
    .requiredOption('--delivery <uuid>', 'the delivery, as its X-Sender-Delivery header names it')
    .option('--workspace <slug>', 'the workspace; without it, all are searched')
    .option(...json)
    .action(async (options) => (await import('../commands/webhook-why.ts')).why(options))
}
