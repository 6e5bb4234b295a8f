import { parseMoment } from '@tidings/evidence'
import { type Command, InvalidArgumentError } from 'commander'
import { json, ofWorkspace } from './options.ts'

export function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('It must be a whole number, 1 or more.')
  return Number(text)
}

/** A moment with its time zone, so that it means the same wherever the command runs. */
export function moment(text: string): string {
  const time = text.includes('T') ? parseMoment(text) : null
  if (time === null) throw new InvalidArgumentError('It must be a time with its zone, like 2026-11-21T09:00:00Z.')
  return time
}

/** `credits …`: the SMS wallet of a workspace. */
export function addCredits(tidings: Command): void {
  const credits = tidings.command('credits').description('the SMS wallet of a workspace')
  credits
    .command('add')
    .description('add SMS credits')
    .requiredOption(...ofWorkspace)
    .requiredOption('--amount <number>', 'how many, at least 1', wholeNumber)
    .option('--note <text>', 'why, for the record')
    .option(...json)
    .action(async (options) => (await import('../commands/credits.ts')).add(options))
  credits
    .command('show')
    .description('what is there, and what is held for messages on their way')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/credits.ts')).show(options))
  addCreditsHistory(credits)
}

/** `credits …` that read the wallet's whole history. */
const addCreditsHistory = (credits: Command): void => {
  credits
    .command('statement')
    .description('every entry, oldest first, with the balance after it')
    .requiredOption(...ofWorkspace)
    .option('--from <time>', 'from then on, with its zone: 2026-11-21T09:00:00Z', moment)
    .option('--to <time>', 'before then', moment)
    .option(...json)
    .action(async (options) => (await import('../commands/credits-history.ts')).statement(options))
  credits
    .command('verify')
    .description('recompute the wallet, or those of all workspaces, from the first event; exit 1 when something is wrong')
    .option(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/credits-history.ts')).verify(options))
}

/** `sender …`: the SMS sender IDs of a workspace. */
export function addSenders(tidings: Command): void {
  const sender = tidings.command('sender').description('the names a workspace sends SMS under')
  const ofSender = ['--id <name>', 'the sender ID'] as const
  sender
    .command('list')
    .description('all of them, whatever their state')
    .requiredOption(...ofWorkspace)
    .option(...json)
    .action(async (options) => (await import('../commands/sender.ts')).list(options))
  sender
    .command('approve')
    .description('let it be used; also brings a deactivated one back')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofSender)
    .option(...json)
    .action(async (options) => (await import('../commands/sender.ts')).approve(options))
  sender
    .command('reject')
    .description('refuse it until it is asked for again')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofSender)
    .option('--reason <text>', 'why, for the record')
    .option(...json)
    .action(async (options) => (await import('../commands/sender.ts')).reject(options))
  sender
    .command('deactivate')
    .description('do not let an approved one be used for now')
    .requiredOption(...ofWorkspace)
    .requiredOption(...ofSender)
    .option(...json)
    .action(async (options) => (await import('../commands/sender.ts')).deactivate(options))
}
