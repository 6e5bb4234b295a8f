import { repeat } from '@tidings/async'
import type { StreamReader } from '@tidings/codec'
import { type ContactId, Refused, type WorkspaceId } from '@tidings/domain'
import { isErasureAskedFor } from '@tidings/log-views'

/** Well below the seconds that an erasure leaves to what began before it. */
const EVERY_MS = 1_000

type Watched = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>

/**
 * `signal` aborts where an erasure of the person is asked for: much of them may be in memory then, and what is written of it later would be there after all
 * is said to be gone. `stop` ends the watch.
 */
export function untilErased(
  log: StreamReader,
  { workspaceId, contactId }: Watched,
  everyMs: number = EVERY_MS,
): Readonly<{ signal: AbortSignal; stop: () => Promise<void> }> {
  const asked = new AbortController()
  const { stop } = repeat({
    round: async () => {
      if (await isErasureAskedFor(log, workspaceId, contactId)) asked.abort(new Refused('contact_not_found'))
      return everyMs
    },
    // Without the log nothing more is read either.
    afterFault: () => everyMs,
    ref: false,
  })
  return { signal: asked.signal, stop }
}
