import { type Config, secretValues } from '@tidings/config'
import type { Stores } from '../stores/open-stores.ts'
import type { Finding } from './finding.ts'
import { outsideFindings } from './outside.ts'
import { storeFindings, storesFinding } from './stores.ts'

export type { Finding } from './finding.ts'
export { outsideFindings } from './outside.ts'
export { storeFindings, storesFinding } from './stores.ts'

/** A service that runs has every setting that it needs. */
export const CONFIGURED: Finding = { check: 'configuration', ok: true, said: 'every setting can be used' }

/** What `tidings doctor` says, from a process that runs; without a secret, whatever a server quotes. */
export async function installationFindings(config: Config, stores: Stores): Promise<readonly Finding[]> {
  const opened = storesFinding(async () => stores)
  const [inStores, outside] = await Promise.all([storeFindings(config, { ...stores, pool: stores.workPool }), outsideFindings(config)])
  const secrets = secretValues(config)
  return [CONFIGURED, await opened, ...inStores, ...outside].map((finding) => ({
    ...finding,
    said: secrets.reduce((said, secret) => said.replaceAll(secret, '[redacted]'), finding.said),
  }))
}
