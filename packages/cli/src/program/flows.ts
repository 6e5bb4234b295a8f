import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

const ofFlow = ['--id <uuid>', 'the flow'] as const

/** `flow …`: the flows of a workspace, and who is inside. */
export function addFlows(tidings: Command): void {
  const flow = tidings.command('flow').description('flows, and who is inside')
  flow
    .command('list')
    .description('the flows, and how many runs are inside and over')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/flow.ts')).list(options))
  flow
    .command('show')
    .description('a flow by its steps, or the runs of one contact, each step with the event that caused it')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofFlow)
    .option('--contact <id>', 'the contact whose runs are shown: its UUID, email or phone')
    .option(...json)
    .action(async (options) => (await import('../commands/flow.ts')).show(options))
  flow
    .command('pause')
    .description('let no contact in, and defer what comes due')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofFlow)
    .option(...json)
    .action(async (options) => (await import('../commands/flow.ts')).pause(options))
  flow
    .command('resume')
    .description('go on, also with what came due in the last 24 hours')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofFlow)
    .option(...json)
    .action(async (options) => (await import('../commands/flow.ts')).resume(options))
  flow
    .command('try')
    .description('walk the flows of a file for a contact without sending, and say what would happen')
    .requiredOption('-f, --file <file>', 'the workspace file, or - for standard input')
    .requiredOption('--contact <id>', 'the contact: its UUID, email or phone')
    .option(...json)
    .action(async (options) => (await import('../commands/flow-try.ts')).tryFile(options))
}
