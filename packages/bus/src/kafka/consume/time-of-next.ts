import type { EventLog } from '@tidings/codec'
import type { Position } from '@tidings/event-store'
import { brokenAt } from '../../set-aside.ts'
import { unknownIn } from '../../unknown-event.ts'

/** The time of the first event behind a place of the log that can be decoded, in ms since 1970; null where there is none. */
export async function timeOfNext(log: Pick<EventLog, 'readAll'>, position: bigint): Promise<number | null> {
  for (let from: Position | 'start' = position < 0n ? 'start' : { commit: position, prepare: position }; ; ) {
    try {
      const [next] = (await log.readAll(from, 1)).events
      return next === undefined ? null : Date.parse(next.created)
    } catch (error) {
      const position = brokenAt(error, []) ?? unknownIn(error)?.position
      if (!position) throw error
      from = position
    }
  }
}
