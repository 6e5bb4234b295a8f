/**
 * The fixture as a process of its own: `node serve.ts [--port N] [--data FILE]`. Without a port it takes a free one, without a file it
 * forgets everything with its end. Prints its connection string when it listens; a parent that forked it is notified.
 */
import { parseArgs } from 'node:util'
import { startEventStoreFixture } from './fixture.ts'
import { type Entry, openJournal } from './journal.ts'
import { type Log, memoryLog, tombstoneEvent } from './log.ts'

const { values } = parseArgs({ options: { port: { type: 'string', default: '0' }, data: { type: 'string' } } })
const port = Number(values.port)
const fixture = await startEventStoreFixture({ port, ...(values.data !== undefined && { log: fileLog(values.data) }) })

const end = async (): Promise<void> => {
  await fixture.close()
  process.exit(0)
}
process.on('SIGTERM', end).on('SIGINT', end).on('disconnect', end)
process.stdout.write(`${fixture.connectionString}\n`)
process.send?.({ port: fixture.port })

/** A log in memory whose commits are in a file before anybody hears of them; a new process finds it as it was, positions and times included. */
function fileLog(file: string, now: () => number = Date.now): Log {
  const { entries, append } = openJournal(file)
  let time = 0
  const log = memoryLog(() => time)
  const apply = ({ at, stream, isTombstone, events }: Entry): bigint => {
    time = at
    return isTombstone ? log.tombstone(stream, events[0]) : log.commit(stream, events)
  }
  for (const entry of entries) apply(entry)
  const write = (entry: Omit<Entry, 'at'>): bigint => {
    const timed = { ...entry, at: now() }
    append(timed)
    return apply(timed)
  }
  return {
    ...log,
    commit: (stream, events) => write({ stream, events, isTombstone: false }),
    tombstone: (stream) => write({ stream, events: [tombstoneEvent()], isTombstone: true }),
  }
}
