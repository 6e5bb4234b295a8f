import { setTimeout as sleep } from 'node:timers/promises'
import { loadConfig, processCount } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { isRole, ROLES, type Role, startService } from '@tidings/service'
import { assertPortsFree } from '../start/assert-ports-free.ts'
import { explained } from '../start/explained.ts'
import { firstRun, printFirstRun } from '../start/first-run.ts'
import { logRuntime } from '../start/log-runtime.ts'
import { sayReady } from '../start/say-ready.ts'
import { stopServiceOnSignal } from '../start/stop-service.ts'
import { WrongUsage } from '../terminal/answer.ts'

const rolesOf = (names: readonly string[]): ReadonlySet<Role> => {
  const unknown = names.find((name) => !isRole(name))
  if (unknown !== undefined) throw new WrongUsage(`There is no role ${unknown}: there are ${ROLES.join(', ')}.`)
  return new Set(names.length === 0 ? ROLES : names.filter(isRole))
}

const GREETING_MS = 15_000

/** `tidings start [role…]`: runs until a signal stops it. Without roles it may be several processes; with them the operator says how many. */
export async function start(names: readonly string[]): Promise<void> {
  const roles = rolesOf(names)
  const config = loadConfig(process.env)
  const log = await createLog({ level: config.log.level })
  logRuntime(log)
  const isWhole = names.length === 0
  const count = isWhole ? processCount(config) : 1
  if (count > 1) return await (await import('../start/start-several.ts')).startSeveral({ config, log, count })
  // Other processes are expected beside this one if roles are named.
  const starting = assertPortsFree(config.http)
    .then(() => startService({ config, log, roles, alone: isWhole }))
    .catch((error: unknown) => {
      throw explained(error, config.http.host)
    })
  const isStopping = stopServiceOnSignal(starting, { config, log })
  const service = await starting
  if (isStopping()) return
  const greeting = isWhole ? firstRun({ config, service, isStopping }) : Promise.resolve('')
  // Where the log does not answer yet, what is said of readiness says so.
  await Promise.race([greeting, sleep(GREETING_MS, undefined, { ref: false })])
  await sayReady({ service, log, facts: { roles: [...roles] }, isStopping })
  await printFirstRun(await greeting, config)
}
