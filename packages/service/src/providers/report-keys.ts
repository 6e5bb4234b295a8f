import type { Log } from '@tidings/observability/log'

const AGAIN_MS = 600_000
/** Log lines of one period; any server may answer like this. */
const MAX_LINES = 20

/** Writes one log line for each push service that does not take our keys, again after ten minutes if it still does not. */
export function createKeysReport(
  log: Pick<Log, 'error'>,
  now: () => number = Date.now,
): (refused: Readonly<{ service: string; status: number }>) => void {
  const said = new Set<string>()
  let since = now()
  return ({ service, status }) => {
    if (now() - since >= AGAIN_MS) {
      said.clear()
      since = now()
    }
    if (said.has(service) || said.size >= MAX_LINES) return
    said.add(service)
    log.error(
      { service, status },
      'a push service does not take the VAPID keys: its pushes are tried again; check TIDINGS_VAPID_PRIVATE_KEY or vapid.key',
    )
  }
}
