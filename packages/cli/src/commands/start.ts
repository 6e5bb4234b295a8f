import { wasRestored } from '@tidings/backup/restored-mark'
import { loadConfig, OperationFailed, publicUrl } from '@tidings/config'
import { Unavailable } from '@tidings/event-store'
import { createLog, type Log } from '@tidings/log'
import { isRole, ROLES, type Role, type Service, startService } from '@tidings/service'
import type { Stores } from '@tidings/service/stores'
import { createDemo } from '../demo/demo.ts'
import { welcome } from '../demo/welcome.ts'
import { WrongUsage } from '../terminal/answer.ts'

/** Longer than any drain that goes well (operator.md §1: stopping takes at most 10 s). */
const PATIENCE_MS = 10_000

const rolesOf = (names: readonly string[]): ReadonlySet<Role> => {
  const unknown = names.find((name) => !isRole(name))
  if (unknown !== undefined) throw new WrongUsage(`There is no role ${unknown}: there are ${ROLES.join(', ')}.`)
  return new Set(names.length === 0 ? ROLES : names.filter(isRole))
}

/** Port taken and the like, in one sentence. */
const sayWhy = (error: unknown): unknown => {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return new OperationFailed(`Port ${port} of ${address} is taken: stop what listens there, or set another (PORT, TIDINGS_ADMIN_PORT).`)
  if (code === 'EACCES' && port !== undefined)
    return new OperationFailed(`Port ${port} may not be opened by this user: set PORT to 1024 or above.`)
  return error
}

/**
 * Drains at the first signal; a second one, or ten seconds, end the process at once. What was accepted is safe either way. A signal during
 * the start is obeyed when that has ended: what it began, the embedded Postgres above all, would run on without anybody. The answer says
 * whether it has begun.
 */
const stopOnSignal = (starting: Promise<Service>, log: Log): (() => boolean) => {
  let stopping = false
  const onSignal = (signal: NodeJS.Signals) => {
    if (stopping) process.exit(1)
    stopping = true
    log.info({ signal }, 'stopping: finishing what is under way')
    setTimeout(() => process.exit(1), PATIENCE_MS).unref()
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

/** The demo workspace of a first run. A stop that comes meanwhile takes the stores away under it, and a log may be away: the next start makes it. */
const firstRun = (stores: Stores, isStopping: () => boolean): ReturnType<typeof createDemo> =>
  createDemo(stores).catch((error: unknown) => {
    if (isStopping() || error instanceof Unavailable) return null
    throw error
  })

/** `tidings start [role…]`: runs until it is told to stop. */
export const start = async (names: readonly string[]): Promise<void> => {
  const roles = rolesOf(names)
  const config = loadConfig(process.env)
  const log = await createLog({ level: config.log.level })
  // Whoever names roles runs other processes beside this one.
  const starting = startService({ config, log, roles, alone: names.length === 0 }).catch((error: unknown) => {
    throw sayWhy(error)
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
