import { wasRestored } from '@tidings/backup/restored-mark'
import { loadConfig, OperationFailed, publicUrl } from '@tidings/config'
import { Unavailable } from '@tidings/event-store'
import { createLog, type Log } from '@tidings/log'
import { isRole, ROLES, type Role, type Service, startService } from '@tidings/service'
import type { Stores } from '@tidings/service/stores'
import { createDemo } from '../demo/demo.ts'
import { welcome } from '../demo/welcome.ts'
import { WrongUsage } from '../terminal/answer.ts'

/** A stop takes at most 10 s. */
const STOP_TIMEOUT_MS = 10_000

const rolesOf = (names: readonly string[]): ReadonlySet<Role> => {
  const unknown = names.find((name) => !isRole(name))
  if (unknown !== undefined) throw new WrongUsage(`There is no role ${unknown}: there are ${ROLES.join(', ')}.`)
  return new Set(names.length === 0 ? ROLES : names.filter(isRole))
}

/** One sentence for a port that cannot be opened; any other error as it is. */
const explained = (error: unknown): unknown => {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return new OperationFailed(`Port ${port} of ${address} is taken: stop what listens there, or set another (PORT, TIDINGS_ADMIN_PORT).`)
  if (code === 'EACCES' && port !== undefined)
    return new OperationFailed(`Port ${port} may not be opened by this user: set PORT to 1024 or above.`)
  return error
}

/**
 * Stops the service at the first signal; a second one, or 10 s, end the process at once. Accepted work is not lost either way. A signal during
 * the start takes effect when the start has ended: otherwise the embedded Postgres would run on. Returns whether a stop has begun.
 */
const stopOnSignal = (starting: Promise<Service>, log: Log): (() => boolean) => {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping: finishing what is under way')
    setTimeout(() => process.exit(1), STOP_TIMEOUT_MS).unref()
    const stop = async (service: Service): Promise<void> => {
      await service.stop().catch((error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      })
      process.exit(0)
    }
    starting.then(stop, () => undefined) // A start that fails says why itself, and ends the process.
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  return () => stopping
}

/** The demo workspace of a first run; null where a stop closes the stores meanwhile, or the log does not answer: the next start creates it. */
const firstRun = (stores: Stores, isStopping: () => boolean): ReturnType<typeof createDemo> =>
  createDemo(stores).catch((error: unknown) => {
    if (isStopping() || error instanceof Unavailable) return null
    throw error
  })

/** `tidings start [role…]`: runs until a signal stops it. */
export async function start(names: readonly string[]): Promise<void> {
  const roles = rolesOf(names)
  const config = loadConfig(process.env)
  const log = await createLog({ level: config.log.level })
  // With named roles, other processes are expected beside this one.
  const starting = startService({ config, log, roles, alone: names.length === 0 }).catch((error: unknown) => {
    throw explained(error)
  })
  const isStopping = stopOnSignal(starting, log)
  const service = await starting
  if (isStopping()) return
  const { stores } = service
  const isOwn = names.length === 0 && config.storage.databaseUrl === null && !wasRestored(config.storage.dataDir)
  const demo = isOwn && stores ? await firstRun(stores, isStopping) : null
  log.info({ url: service.url, roles: [...roles] }, 'Tidings is ready')
  if (demo) process.stdout.write(welcome(publicUrl({ ...config.http, port: Number(new URL(service.url).port) }), demo))
}
