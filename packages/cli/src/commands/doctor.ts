import { type Config, ConfigError, loadConfig, OperationFailed } from '@tidings/config'
import { createLog } from '@tidings/observability/log'
import { CONFIGURED, type Finding, outsideFindings, storeFindings, storesFinding } from '@tidings/service/doctor'
import { openStores, type Stores } from '@tidings/service/stores'
import { printAnswer } from '../terminal/answer.ts'

const checkStores = async (config: Config): Promise<readonly Finding[]> => {
  const log = await createLog({ level: 'silent', to: 'stderr' })
  let stores: Stores | undefined
  const opened = await storesFinding(async () => {
    stores = await openStores({ config, log, mode: 'command' })
    return stores
  })
  if (stores === undefined) return [opened]
  const open = stores
  try {
    return [opened, ...(await storeFindings(config, open))]
  } finally {
    await open.close()
  }
}

const checkConfig = (): Config | Finding => {
  try {
    return loadConfig(process.env)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { check: 'configuration', ok: false, said: error.message, mend: 'Correct it in the environment or in tidings.yaml.' }
  }
}

const report = (findings: readonly Finding[], json: boolean): void => {
  const lines = findings.map(
    ({ check, ok, said, mend }) => `${ok ? 'ok  ' : 'FAIL'}  ${check}: ${said}${mend === undefined ? '' : ` ${mend}`}`,
  )
  printAnswer({ json: { items: findings }, lines }, json)
  const bad = findings.filter(({ ok }) => !ok)
  if (bad.length > 0)
    throw new OperationFailed(`${bad.length} of ${findings.length} checks failed: ${bad.map(({ check }) => check).join(', ')}.`)
}

/** `tidings doctor`: every check runs, whatever the others say; exit 1 when one failed. */
export async function doctor({ json }: Readonly<{ json: boolean }>): Promise<void> {
  const config = checkConfig()
  if ('check' in config) return report([config], json)
  const outside = await outsideFindings(config)
  report([CONFIGURED, ...(await checkStores(config)), ...outside], json)
}
