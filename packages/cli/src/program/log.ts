import { parsePosition } from '@tidings/event-store'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { commandGroup } from './command-group.ts'
import { json, threadCount } from './options.ts'
import { moment } from './records.ts'

const position = (text: string) => {
  const parsed = parsePosition(text)
  if (parsed === null) throw new InvalidArgumentError('It must be a position, as `log export` prints it.')
  return parsed
}

const names = (text: string): readonly string[] => {
  const list = text.split(',').map((name) => name.trim())
  if (list.includes('')) throw new InvalidArgumentError('It must be a list of event types, like ContactCreated,ContactUpdated.')
  return list
}

/** `log export`. */
export function addLog(tidings: Command): void {
  commandGroup(tidings, 'log', 'the event log')
    .command('export')
    .description('write events of the log to a file, decrypted; killed, it goes on when it is called again')
    .requiredOption('--out <file>', 'the file; it must not exist, or be an unfinished export of the same call')
    .addOption(new Option('--format <format>', 'of the file').choices(['ndjson', 'parquet']).default('ndjson'))
    .option('--types <types>', 'only events of these types, with commas between', names)
    .option('--workspace <slug>', 'only events of this workspace')
    .option('--from <position>', 'only events behind this position', position)
    .option('--since <time>', 'only events stored from then on, with its zone: 2026-11-21T09:00:00Z', moment)
    .option('--until <time>', 'only events stored before then', moment)
    .option('--sealed', 'as they are stored, personal data encrypted', false)
    .option(
      '--threads <number>',
      'how many threads open the whole log; default: one a core, at most four, fewer where memory is short',
      threadCount,
    )
    .option(...json)
    .action(async (options) => (await import('../commands/log-export.ts')).run(options))
}
