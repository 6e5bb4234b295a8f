import { wasRestored } from '@tidings/backup-and-export/restored-mark'
import { type Config, publicUrl } from '@tidings/config'
import { Unavailable } from '@tidings/event-store'
import type { Service } from '@tidings/service'
import { createDemo } from '../demo/demo.ts'
import { welcome } from '../demo/welcome.ts'

type FirstRun = Readonly<{ config: Config; service: Service; isStopping: () => boolean }>

/**
 * What is printed when the service is ready: on a first run over an embedded Postgres the demo workspace with its key. Empty after that, and
 * where a stop closes the stores meanwhile, or the log does not answer: the next start creates it.
 */
export async function firstRun({ config, service: { stores, url }, isStopping }: FirstRun): Promise<string> {
  if (stores === null || config.storage.databaseUrl !== null || wasRestored(config.storage.dataDir)) return ''
  const demo = await createDemo(stores).catch((error: unknown) => {
    if (isStopping() || error instanceof Unavailable) return null
    throw error
  })
  return demo ? welcome(publicUrl({ ...config.http, port: Number(new URL(url).port) }), demo) : ''
}
