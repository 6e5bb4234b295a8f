import { EventIdConflict, InvalidAppend, StreamDeleted, WrongExpectedRevision } from '../errors.ts'
import { type Appended, comparePositions, type Position } from '../port.ts'
import type { Append, Decided } from './appender.ts'
import type { Reader } from './reader.ts'

/**
 * Turns what the server decided into the port's answer; throws its refusals. EventStoreDB does not say that an append was a repetition:
 * it is one when its position is not after what this process had `seen` before the call.
 */
export async function appendResult(reader: Reader, append: Append, outcome: Decided, seen: Position): Promise<Appended> {
  const { stream } = append
  switch (outcome.kind) {
    case 'written': {
      const position = outcome.position ?? (await positionAt(reader, stream, outcome.revision))
      return { revision: outcome.revision, position, duplicate: comparePositions(position, seen) <= 0 }
    }
    case 'wrong_revision':
      if (await repeatsInPart(reader, append, outcome.current)) throw new EventIdConflict(`${stream} knows some of these event ids already`)
      throw new WrongExpectedRevision(stream, outcome.current)
    case 'deleted':
      throw new StreamDeleted(`stream ${stream} is deleted`)
    case 'refused':
      throw new InvalidAppend(outcome.reason)
  }
}

/** The server leaves the position out of a repeated append whose events it can no longer read; the log's head is behind them all. */
const positionAt = async (reader: Reader, stream: string, revision: number): Promise<Position> => {
  const [event] = await reader.readStream(stream, { from: revision, limit: 1 })
  return event?.revision === revision ? event.position : reader.head()
}

/** EventStoreDB says "wrong expected version" to events of which only some are known, too. */
const repeatsInPart = async (reader: Reader, { stream, expected, events }: Append, current: number | null): Promise<boolean> => {
  if (current === null || events.length < 2) return false
  if (expected === 'any' || expected === 'stream_exists') return true
  const from = expected === 'no_stream' ? 0 : expected + 1
  const ids = new Set(events.map((event) => event.id))
  const there = await reader.readStream(stream, { from, limit: events.length })
  return there.some((event) => ids.has(event.id))
}
