import { pause, startTicker } from '@tidings/async'
import { serverCheck } from './postmaster-pid.ts'

/** Reports of the embedded server; a pino logger is one. */
export type ServerLog = Readonly<{ info: (message: string) => void; warn: (message: string) => void; error: (message: string) => void }>

export type Supervised = Readonly<{ clusterDir: string; pid: number; restart: () => Promise<number>; log: ServerLog }>

const POLL_MS = 250
const MIN_DELAY_MS = 200
const MAX_DELAY_MS = 5_000

/**
 * Watches a server and starts it again when it ends by itself, retrying for ever with delays of up to 5 s.
 * `stop` resolves, when no start is running, with the id of the current process.
 */
export function supervise(server: Supervised): { stop: () => Promise<number> } {
  const stopping = new AbortController()
  const { signal } = stopping
  let { pid } = server
  const checking = serverCheck(server.clusterDir)
  const look = async (): Promise<void> => {
    const isUp = await checking
    if (await isUp(pid)) return
    server.log.error(`The embedded Postgres (process ${pid}) ended by itself; starting it again.`)
    pid = (await restarted(server, signal)) ?? pid
  }
  const ticker = startTicker(POLL_MS, () => look().catch((error: unknown) => server.log.error(String(error))))
  return {
    stop: async () => {
      stopping.abort()
      ticker.stop()
      await ticker.ended()
      return pid
    },
  }
}

async function restarted(server: Supervised, signal: AbortSignal): Promise<number | null> {
  for (let wait = MIN_DELAY_MS; !signal.aborted; wait = Math.min(wait * 2, MAX_DELAY_MS)) {
    try {
      const pid = await server.restart()
      server.log.info(`The embedded Postgres runs again (process ${pid}).`)
      return pid
    } catch (error) {
      server.log.error(error instanceof Error ? error.message : String(error))
      await pause(wait, signal, { ref: false })
    }
  }
  return null
}
