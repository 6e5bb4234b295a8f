import { serveJobs } from '@tidings/async/threads'
import { openLogInThread } from '@tidings/codec/log-in-thread'
import type { EventDeclarations } from '@tidings/domain'
import type { LogRange } from '@tidings/event-store'
import { type OpeningData, openedPart } from './opened-parts.ts'
import type { Part } from './part.ts'

/** The module of a thread that opens events calls it, once. What cannot be exported is found out again, and said, in the thread of the caller. */
export function serveOpenedParts(declarations: EventDeclarations): void {
  serveJobs<OpeningData, LogRange, Part>(async ({ source, end }) => {
    const partOfRange = openedPart(await openLogInThread(source, { name: 'tidings-export', declarations }), end)
    return async (range) => {
      const part = await partOfRange(range)
      if (part.failure !== null) throw part.failure
      return part
    }
  })
}
