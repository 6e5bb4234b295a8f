import type { Config } from '@tidings/config'
import { type App, closeGracefully, createAdminApp } from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import type { Peers } from '../processes/peers.ts'
import type { Checks } from '../readiness/checks.ts'
import type { Role } from '../roles.ts'

type ListenOptions = Readonly<{
  config: Config
  roles: ReadonlySet<Role>
  log: Log
  app: App
  ready: Checks
  lacking?: Checks | undefined
  peers?: Peers | undefined
}>

export type Listening = Readonly<{ url: string; close: () => Promise<void> }>

/** Opens the port for operators, where one is configured, then the port of the API. When it rejects, nothing listens. */
export async function listen({ config, roles, log, app, ready, lacking, peers }: ListenOptions): Promise<Listening> {
  const { http } = config
  // No gateway leads to a process without an API, whose stop hands its work to others.
  const drainMs = roles.has('command-api') || roles.has('query-api') ? http.drainSeconds * 1_000 : 0
  const admin =
    http.adminPort === null ? null : createAdminApp({ ready, lacking, log, metricsOfAll: peers?.metrics, othersServe: peers?.othersServe })
  // Both ports answer health checks, so they close together.
  const close = async (): Promise<void> => {
    await Promise.all([closeGracefully(app, { drainMs }), admin && closeGracefully(admin, { drainMs })])
  }
  try {
    if (admin !== null && http.adminPort !== null) {
      log.info({ url: await admin.listen({ host: http.host, port: http.adminPort }) }, 'the port for operators is open')
    }
    return { url: await app.listen({ host: http.host, port: http.port }), close }
  } catch (error) {
    await close()
    throw error
  }
}
