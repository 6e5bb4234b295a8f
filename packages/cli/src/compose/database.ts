import type { Config } from '@tidings/config'
import type { Log } from '@tidings/log'
import { createPool } from '@tidings/postgres'
import { findRunning, startEmbedded } from '@tidings/postgres/embedded'
import { OperationFailed } from '../terminal/answer.ts'

/** `close` stops the server only where this process owns it. */
export type Database = Readonly<{ url: string; embedded: boolean; close: () => Promise<void> }>

const nothing = async (): Promise<void> => {}

const reasonOf = (error: unknown): string => {
  const { message, code } = error as Readonly<{ message?: string; code?: string }>
  // A host name with several addresses fails with an error that has a code and no words.
  return (message || code || String(error)).replace(/\.$/, '')
}

/** One sentence when it does not answer, instead of what the first statement would happen to say. Shows no credentials. */
const assertReachable = async (url: string): Promise<void> => {
  const probe = createPool({ url, max: 1, name: 'tidings-start' })
  try {
    await probe.query('select 1')
  } catch (error) {
    const { host, pathname } = new URL(url)
    const advice = 'start it, or correct TIDINGS_DATABASE_URL'
    throw new OperationFailed(`The database ${host}${pathname} cannot be used (${reasonOf(error)}): ${advice}.`, { cause: error })
  } finally {
    await probe.end()
  }
}

const startOwn = (dataDir: string, log: Log): ReturnType<typeof startEmbedded> =>
  startEmbedded({ dataDir, log }).catch((error: unknown) => {
    throw new OperationFailed(`${reasonOf(error)}.`, { cause: error })
  })

/** The configured database, or the embedded one: owned by the service; a command joins the one that runs, or starts it for its call. */
export const connectDatabase = async (config: Config, log: Log, mode: 'service' | 'command'): Promise<Database> => {
  const { databaseUrl, dataDir } = config.storage
  if (databaseUrl !== null) {
    await assertReachable(databaseUrl)
    return { url: databaseUrl, embedded: false, close: nothing }
  }
  const running = mode === 'command' ? await findRunning(dataDir) : null
  if (running !== null) return { url: running, embedded: true, close: nothing }
  const { url, stop } = await startOwn(dataDir, log)
  return { url, embedded: true, close: stop }
}
