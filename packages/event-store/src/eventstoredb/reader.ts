import { type Batch, type Position, type ReadStreamOptions, type RecordedEvent, START } from '../port.ts'
import type { Connection } from './connection.ts'
import { decodeEvent, positionOf } from './decode-event.ts'
import { readLog } from './log-page.ts'
import { patientRead, READ_TIMES, type ReadTimes, type Recorded } from './patient-read.ts'
import { readLastRequest, readStreamRequest } from './read-requests.ts'

export type Reader = Readonly<{
  readStream: (stream: string, options?: ReadStreamOptions) => Promise<readonly RecordedEvent[]>
  readAll: (after: Position | 'start', limit: number) => Promise<Batch>
  head: () => Promise<Position>
  /** Raw: also of the server's own streams. Undefined for a stream without events. */
  lastOf: (stream: string) => Promise<Recorded | undefined>
  close: () => void
}>

export const createReader = (connection: Connection, times: Partial<ReadTimes> = {}): Reader => {
  const closed = new AbortController()
  const read = patientRead({ connection, closed: closed.signal, times: { ...READ_TIMES, ...times } })
  return {
    readStream: async (stream, options = {}) => {
      if (options.limit === 0) return []
      const recorded = await read(stream, () => readStreamRequest(stream, options))
      return recorded.map(decodeEvent).filter((event) => event !== undefined)
    },
    readAll: (after, limit) => readLog(read, after, limit),
    head: async () => {
      const [last] = await read('$all', readLastRequest)
      return last === undefined ? START : positionOf(last)
    },
    lastOf: async (stream) => (await read(stream, () => readStreamRequest(stream, { direction: 'backwards', limit: 1 })))[0],
    close: () => closed.abort(),
  }
}
