import { type Entry, openJournal } from './journal.ts'
import { type Log, memoryLog, tombstoneEvent } from './log.ts'

/** A log in memory whose commits are in a file before anybody hears of them; a new process finds it as it was, positions and times included. */
export function fileLog(file: string, now: () => number = Date.now): Log {
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
