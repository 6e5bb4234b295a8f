import { type Command, InvalidArgumentError } from 'commander'
import { json } from './options.ts'

const MOST_ROWS = 10_000

const limit = (text: string): number => {
  const rows = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (rows < 1 || rows > MOST_ROWS) throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_ROWS}.`)
  return rows
}

/** `projection run`, `rows` and `new`: read models of an analyst's own. */
export function addAnalystProjections(projection: Command): void {
  projection
    .command('run <file>')
    .description('fill a schema of its own from the log by a projection file; killed, it goes on when it is called again')
    .option('--schema <name>', 'the schema; default: analyst_ and the name of the projection')
    .option('--workspace <slug>', 'only the events of this workspace')
    .option('--from <position>', 'begin after this position of the log')
    .option('--follow', 'stay, and apply what comes', false)
    .option('--personal', 'open the personal fields that the file asks for', false)
    .option('--restart', 'empty the schema and begin anew', false)
    .option(...json)
    .action(async (file, options) => (await import('../commands/projection-run.ts')).run(file, options))
  projection
    .command('rows <schema.table>')
    .description('show what a projection file has filled')
    .option('--limit <number>', 'at most so many, in the order of the first columns', limit, 100)
    .option(...json)
    .action(async (table, options) => (await import('../commands/projection-rows.ts')).rows(table, options))
  projection
    .command('new <name>')
    .description('write a first projection file of that name, which runs as it is')
    .option(...json)
    .action(async (name, options) => (await import('../commands/projection-new.ts')).create(name, options))
}
