import type { Command } from 'commander'
import { commandGroup } from './command-group.ts'
import { json } from './options.ts'
import { wholeNumber } from './records.ts'

/** `projection diff` and `projection swap`: tables that were built beside the live ones. */
export function addSwaps(tidings: Command): void {
  const projection = commandGroup(tidings, 'projection', 'the read models')
  projection
    .command('diff <name>')
    .description('compare the live tables with those that were built beside, by key, as of one position')
    .option('--first <number>', 'how many differing rows of each table are shown', wholeNumber, 20)
    .option('--values', 'show what the differing columns hold, which may be personal', false)
    .option(...json)
    .action(async (name, options) => (await import('../commands/projection-diff.ts')).diff(name, options))
  projection
    .command('swap <name>')
    .description('put the tables that were built beside in the place of the live ones, which are kept for a day; returns when they serve')
    .option('--back', 'bring back the tables that the last swap took out, with everything appended since', false)
    .option(...json)
    .action(async (name, options) => (await import('../commands/projection-swap.ts')).swap(name, options))
}
