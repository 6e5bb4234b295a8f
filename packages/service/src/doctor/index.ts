import { type Config, withoutSecrets } from '@tidings/config'
import { sharedRead } from '@tidings/observability/metrics'
import pTimeout from 'p-timeout'
import type { Stores } from '../stores/open-stores.ts'
import type { Finding } from './finding.ts'
import { outsideFindings } from './outside.ts'
import { storeFindings, storesFinding } from './stores.ts'

export type { Finding } from './finding.ts'
export { outsideFindings } from './outside.ts'
export { storeFindings, storesFinding } from './stores.ts'

/** A service that runs has every setting that it needs. */
export const CONFIGURED: Finding = { check: 'configuration', ok: true, said: 'every setting can be used' }

/** A hundred sender domains may take 65 s. */
const LATE_MS = 90_000
/** A server may say any number of things. */
const MAX_SAID = 2_000

type Group = Readonly<{ check: string; look: () => Promise<readonly Finding[]> }>

/** What `tidings doctor` says, from a process that runs; without a secret, whatever a server quotes. */
export function createFindings(config: Config, stores: Stores): () => Promise<readonly Finding[]> {
  return lookAtAll(
    [
      { check: 'stores', look: async () => [await storesFinding(async () => stores)] },
      { check: 'what is in the stores', look: () => storeFindings(config, { ...stores, pool: stores.workPool }) },
      { check: 'what is outside', look: () => outsideFindings(config) },
    ],
    { clean: withoutSecrets(config), lateMs: LATE_MS },
  )
}

type Looking = Readonly<{ clean: (text: string) => string; lateMs: number }>

/**
 * Callers at once share an answer, which serves for 5 s. A group that does not answer in time is a finding of its own: who asks next waits for
 * the same look, so that what hangs is asked once.
 */
export function lookAtAll(groups: readonly Group[], { clean, lateMs }: Looking): () => Promise<readonly Finding[]> {
  const shared = groups.map(({ check, look }) => ({
    check,
    look: sharedRead(() => look().catch((error: unknown) => [failed(check, error)])),
  }))
  const shown = ({ check, ok, said, mend }: Finding): Finding => ({
    ...{ check, ok, said: clean(said).slice(0, MAX_SAID).toWellFormed() },
    ...(mend !== undefined && { mend: clean(mend).slice(0, MAX_SAID).toWellFormed() }),
  })
  return async () => {
    const looks = shared.map(({ check, look }) => pTimeout(look(), { milliseconds: lateMs, fallback: () => [silent(check, lateMs)] }))
    return [CONFIGURED, ...(await Promise.all(looks)).flat().map(shown)]
  }
}

const failed = (check: string, error: unknown): Finding => ({
  ...{ check, ok: false, said: error instanceof Error ? error.message : String(error) },
  mend: 'Run `tidings doctor`, and look into the log of the process.',
})

const silent = (check: string, lateMs: number): Finding => ({
  ...{ check, ok: false, said: `no answer within ${lateMs / 1_000} s: what is asked there hangs.` },
  mend: 'Run `tidings doctor`, and look for a server that takes connections and does not answer.',
})
