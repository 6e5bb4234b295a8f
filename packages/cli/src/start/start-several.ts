import type { Config } from '@tidings/config'
import type { Log } from '@tidings/observability/log'
import { ROLES } from '@tidings/service'
import { isWorker, runAsWorker, settingsOfEach, startProcesses } from '@tidings/service/processes'
import { sentenceOf } from '../terminal/sentence-of.ts'
import { onStopRequest } from '../terminal/stop-requests.ts'
import { assertPortsFree } from './assert-ports-free.ts'
import { explained } from './explained.ts'
import { firstRun, printFirstRun } from './first-run.ts'
import { sayReady } from './say-ready.ts'
import { stopServiceOnSignal } from './stop-service.ts'

type SeveralProcesses = Readonly<{ config: Config; log: Log; count: number }>

/** `tidings start` with several processes: the supervisor, or in a process that it has started one of them. */
export async function startSeveral({ config, log, count }: SeveralProcesses): Promise<void> {
  const settings = settingsOfEach(config, count)
  if (isWorker()) return await work({ config: settings, log })
  const starting = assertPortsFree(config.http)
    .then(() => startProcesses({ config: settings, log, count }))
    .catch((error: unknown) => {
      throw explained(error, config.http.host)
    })
  const isStopping = stopServiceOnSignal(starting, { config, log })
  const service = await starting
  await sayReady({ service, log, facts: { roles: ROLES, processes: count }, isStopping })
}

function work({ config, log }: Omit<SeveralProcesses, 'count'>): Promise<void> {
  return runAsWorker({
    config,
    log,
    onSignal: (stop) => onStopRequest({ stop, force: stop }),
    sentenceOf: (error) => sentenceOf(explained(error, config.http.host)),
    onStarted: async (service, { isFirst, isStopping }) => {
      if (isFirst) await printFirstRun(await firstRun({ config, service, isStopping }), config)
    },
  })
}
