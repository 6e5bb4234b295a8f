import type { Config } from '@tidings/config'
import { type App, closeGracefully, createAdminApp } from '@tidings/http'
import type { Log } from '@tidings/observability/log'
import type { Peers } from '../processes/peers.ts'
import type { Checks } from '../readiness/checks.ts'

type ListenOptions = Readonly<{
  config: Config
  log: Log
  app: App
  ready: Checks
  lacking?: Checks | undefined
  peers?: Peers | undefined
}>

export type Listening = Readonly<{ url: string; close: () => Promise<void> }>

/** Opens the port for operators, where one is configured, then the port of the API. When it rejects, nothing listens. */
export async function listen({ config: { http }, log, app, ready, lacking, peers }: ListenOptions): Promise<Listening> {
  const admin = http.adminPort === null ? null : createAdminApp({ ready, lacking, log, metricsOfAll: peers?.metrics })
  // Both ports answer health checks, so they close together.
  const close = async (): Promise<void> => {
    await Promise.all([closeGracefully(app), admin && closeGracefully(admin)])
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
