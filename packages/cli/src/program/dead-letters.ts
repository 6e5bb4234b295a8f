import type { Command } from 'commander'
import { json, ofWorkspace } from './options.ts'

/** `dlq …`. */
export function addDeadLetters(tidings: Command): void {
  const dlq = tidings.command('dlq').description('work that failed too often')
  dlq
    .command('list')
    .description('open dead letters, newest first')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/dlq.ts')).list(options))
  dlq
    .command('show <id>')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (id, options) => (await import('../commands/dlq.ts')).show(id, options))
  dlq
    .command('redrive <id>')
    .description('try it again')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (id, options) => (await import('../commands/dlq.ts')).redrive(id, options))
  dlq
    .command('discard <id>')
    .description('give it up for good')
    .option(...ofWorkspace)
    .option('--reason <text>', 'why, for the record', 'discarded by the operator')
    .option(...json)
    .action(async (id, options) => (await import('../commands/dlq.ts')).discard(id, options))
}
