import type { EventStore } from '@tidings/event-store'
import type { HasEvents } from './keys/key-ring.ts'
import { parse } from './parse.ts'

/** Whether a subject's own stream holds anything that was sealed about it. Read only where a key is about to be made: once a subject. */
export const hasEventsIn =
  (store: EventStore, streamOf: (workspaceId: string, subject: string) => string | null): HasEvents =>
  async ({ workspaceId, subject }) => {
    const stream = streamOf(workspaceId, subject)
    if (stream === null) return false
    const events = await store.readStream(stream)
    return events.some((event) => parse(event).sealed?.s === subject)
  }
