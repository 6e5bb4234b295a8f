import type { Config } from '@tidings/config'
import { OperationFailed } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { createPool, databaseFault, isTransient } from '@tidings/postgres'
import { findRunning, startEmbedded } from '@tidings/postgres/embedded'

/** `service` serves everything, `roles` some of it beside other processes, `worker` everything for a supervisor, `command` nothing. */
export type Mode = 'service' | 'roles' | 'worker' | 'command'

/** `close` stops the embedded server only where this process is the last one that uses it. */
export type Database = Readonly<{
  url: string
  embedded: boolean
  /** Whether another process serves the same data directory; null where that cannot be known. */
  others: (() => Promise<boolean>) | null
  /** Why the database does not answer, where its disk is here and says it; null otherwise. */
  serverFault: () => Promise<Error | null>
  close: () => Promise<void>
}>

const USE = { service: 'whole', roles: 'part', worker: 'part', command: 'command' } as const

const doNothing = async (): Promise<void> => {}
const unknownFault = async (): Promise<null> => null

const reasonOf = (error: unknown): string => {
  const { message, code } = error as Readonly<{ message?: string; code?: string }>
  // A host name with several addresses fails with an error that has a code and no message.
  return (message || code || String(error)).replace(/\.$/, '')
}

/** Without credentials. Where the address has no host, it is a socket of this machine. */
const addressOf = (url: string): string => {
  const { host, pathname } = new URL(url.replace('@/', '@socket/'))
  return `The database ${host}${pathname}`
}

type ServerSettings = Readonly<{ version: string; encoding: string; isolation: string; dates: string }>

const SETTINGS = `select current_setting('server_version') as version, current_setting('server_encoding') as encoding,
  current_setting('default_transaction_isolation') as isolation, current_setting('datestyle') as dates`

const OLDEST = 15

/** Why statements would not do there what they do elsewhere, and how to mend it; null where they do. */
const misfit = ({ version, encoding, isolation, dates }: ServerSettings): string | null => {
  if (Number.parseInt(version, 10) < OLDEST) return `is Postgres ${version}: use ${OLDEST} or later`
  if (encoding !== 'UTF8') return `holds text as ${encoding}: make one with the encoding UTF8`
  if (isolation !== 'read committed')
    return `begins a transaction as ${isolation}: set default_transaction_isolation to 'read committed' for it and its role`
  return dates.startsWith('ISO') ? null : `writes dates as ${dates}: set datestyle to ISO for it and its role`
}

/** A request is answered within seconds or refused; the caller of a command would only call it again. */
const COMMAND_TIMEOUT_MS = 60_000

/** How long a process waits for a connection. */
export function connectTimeoutOf({ storage }: Config, mode: Mode): number {
  return mode === 'command' ? Math.max(COMMAND_TIMEOUT_MS, storage.waitMs) : storage.waitMs
}

/** The database does not answer now, and may later. */
export class DatabaseAway extends OperationFailed {}

/** A name without an address is that of a cluster's service none of whose servers runs, or a wrong one: nothing tells them apart. */
const isAway = (error: unknown): boolean => isTransient(error) || (error as { code?: unknown }).code === 'ENOTFOUND'

/** Throws one sentence, without credentials, when the database does not answer, or is not as statements rely on it. */
export async function assertUsable(url: string, timeoutMs: number): Promise<void> {
  const probe = createPool({ url, max: 1, name: 'tidings-start', timeoutMs })
  try {
    const { rows } = await probe.query<ServerSettings>(SETTINGS)
    const wrong = rows[0] === undefined ? null : misfit(rows[0])
    if (wrong !== null) throw new OperationFailed(`${addressOf(url)} ${wrong}.`)
  } catch (error) {
    if (error instanceof OperationFailed) throw error
    const Failed = isAway(error) ? DatabaseAway : OperationFailed
    const fault = databaseFault(error)
    if (fault !== null) throw new Failed(`${addressOf(url)} cannot be used: ${fault.said}. ${fault.mend}`, { cause: error })
    const advice = 'start it, or correct TIDINGS_DATABASE_URL'
    throw new Failed(`${addressOf(url)} cannot be used (${reasonOf(error)}): ${advice}.`, { cause: error })
  } finally {
    await probe.end()
  }
}

const shareEmbedded = ({ storage }: Config, log: Log, mode: Mode): ReturnType<typeof startEmbedded> =>
  startEmbedded({ dataDir: storage.dataDir, buffersMb: storage.embeddedBuffersMb, log, use: USE[mode] }).catch(
    refuseDataDir(storage.dataDir),
  )

const refuseDataDir = (dataDir: string) => (error: unknown) => {
  const fault = databaseFault(error)
  const sentence = fault === null ? `${reasonOf(error)}.` : `The data directory ${dataDir} cannot be used: ${fault.said}. ${fault.mend}`
  throw new OperationFailed(sentence, { cause: error })
}

/** The configured database, or the embedded one: services share it, a command joins the one that runs, or starts it for its call. */
export async function connectDatabase(config: Config, log: Log, mode: Mode): Promise<Database> {
  const { databaseUrl, dataDir } = config.storage
  if (databaseUrl !== null) {
    await assertUsable(databaseUrl, connectTimeoutOf(config, mode))
    return { url: databaseUrl, embedded: false, others: null, serverFault: unknownFault, close: doNothing }
  }
  const running = mode === 'command' ? await findRunning(dataDir).catch(refuseDataDir(dataDir)) : null
  if (running !== null) return { url: running, embedded: true, others: null, serverFault: unknownFault, close: doNothing }
  const { url, others, serverFault, stop } = await shareEmbedded(config, log, mode)
  return { url, embedded: true, others, serverFault, close: stop }
}
