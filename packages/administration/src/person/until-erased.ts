import { repeat } from '@tidings/async'
import type { EventLog, StreamReader } from '@tidings/codec'
import { type ContactId, Refused, type WorkspaceId } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import { isErasureAskedFor } from '@tidings/log-views'

/** Well below the seconds that an erasure leaves to what began before it. */
const EVERY_MS = 1_000

type Watched = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>
type WatchedErasures = Readonly<{ signal: AbortSignal; stop: () => Promise<void> }>

/**
 * `signal` aborts where an erasure of the person is asked for: much of them may be in memory then, and what is written of it later would be there after all
 * is said to be gone. `stop` ends the watch.
 */
export function untilErased(log: StreamReader, { workspaceId, contactId }: Watched, everyMs: number = EVERY_MS): WatchedErasures {
  return watch(() => isErasureAskedFor(log, workspaceId, contactId), everyMs)
}

const PAGE = 2_000

type WatchedWorkspace = Readonly<{ workspaceId: WorkspaceId; from: Position }>

/** The same of anybody of a workspace, for what the log has behind `from`. */
export function untilAnyErased(
  log: Pick<EventLog, 'readAll'>,
  { workspaceId, from }: WatchedWorkspace,
  everyMs: number = EVERY_MS,
): WatchedErasures {
  let after = from
  return watch(async () => {
    for (;;) {
      const { events, to, caughtUp } = await log.readAll(after, PAGE, { types: ['ContactErasureRequested'], workspaceId })
      if (events.length > 0) return true
      after = to
      if (caughtUp) return false
    }
  }, everyMs)
}

function watch(isAskedFor: () => Promise<boolean>, everyMs: number): WatchedErasures {
  const asked = new AbortController()
  const { stop } = repeat({
    round: async () => {
      if (await isAskedFor()) asked.abort(new Refused('contact_not_found'))
      return everyMs
    },
    // Without the log nothing more is read either.
    afterFault: () => everyMs,
    ref: false,
  })
  return { signal: asked.signal, stop }
}
