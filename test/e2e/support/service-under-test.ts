import { type Config, loadConfig } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { ROLES, type Role, startService } from '@tidings/service'
import { openStores, type Stores } from '@tidings/service/stores'
import { aim, surroundings } from './aim.ts'
import type { Environment } from './service-process.ts'
import { startStack } from './stack.ts'

/** A running service: where it answers, what it stands on, and how to end it. */
export type UnderTest = Readonly<{ url: string; stores: Stores; stop: () => Promise<void> }>

/** Runs the service in this process, which is quickest to start and easiest to look into. */
const inThisProcess = async (config: Config): Promise<UnderTest> => {
  const log = await createLog({ level: config.log.level })
  const { url, stores, stop } = await startService({ config, log, roles: new Set<Role>(ROLES), alone: true })
  if (stores === null) throw new Error('a world of tests has to write as well as to read')
  return { url, stores, stop }
}

/** Runs each role in a process of its own, behind a gateway; this process opens the same stores beside them. */
const inProcesses = async (config: Config, env: Environment): Promise<UnderTest> => {
  const stack = await startStack(env)
  try {
    const stores = await openStores({ config, log: await createLog({ level: config.log.level }), mode: 'command' })
    return {
      url: stack.url,
      stores,
      stop: async () => {
        await stack.stop()
        await stores.close()
      },
    }
  } catch (error) {
    await stack.stop()
    throw error
  }
}

/** Starts the service where `TIDINGS_E2E` aims, with these settings. */
export async function startUnderTest(env: Environment): Promise<UnderTest> {
  const aimed = aim()
  const around = await surroundings(aimed)
  const whole = { ...around.env, ...env }
  const config = loadConfig(whole, null)
  try {
    const service = await (aimed === 'embedded' ? inThisProcess(config) : inProcesses(config, whole))
    return {
      ...service,
      stop: async () => {
        await service.stop()
        await around.stop()
      },
    }
  } catch (error) {
    await around.stop()
    throw error
  }
}
