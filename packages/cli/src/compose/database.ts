import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import { findRunning, startEmbedded } from '@tidings/postgres/embedded'

/** `close` stops the server only where this process owns it. */
export type Database = Readonly<{ url: string; embedded: boolean; close: () => Promise<void> }>

const nothing = async (): Promise<void> => {}

/** The configured database, or the embedded one: owned by the service; a command joins the one that runs, or starts it for its call. */
export const connectDatabase = async (config: Config, log: Log, mode: 'service' | 'command'): Promise<Database> => {
  const { databaseUrl, dataDir } = config.storage
  if (databaseUrl !== null) return { url: databaseUrl, embedded: false, close: nothing }
  const running = mode === 'command' ? await findRunning(dataDir) : null
  if (running !== null) return { url: running, embedded: true, close: nothing }
  const { url, stop } = await startEmbedded({ dataDir, log })
  return { url, embedded: true, close: stop }
}
