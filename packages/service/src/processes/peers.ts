import { type ReadinessCheck, reasonsNotReady } from '@tidings/http'
import { metrics } from '@tidings/observability/metrics'
import { type Channel, createCalls } from './calls.ts'

/** What one of several processes knows of all: their page of metrics, whether the others are ready, and whether they serve while this one stops. */
export type Peers = Readonly<{
  metrics: () => Promise<string>
  ready: ReadinessCheck
  othersServe: ReadinessCheck
  answerWith: (checks: Checks) => void
}>

type Checks = Readonly<Record<string, ReadinessCheck>>

const NOT_YET: Checks = {
  start: async () => {
    throw new Error('starting')
  },
}

/** This is shorter than the 2 s of a readiness check, whose answer it is part of. */
const TIMEOUT_MS = 1_500

/** The process's side of the channel to its supervisor. */
export function createPeers(channel: Channel): Peers {
  let checks = NOT_YET
  const { call } = createCalls(
    channel,
    {
      metrics: () => metrics.getMetricsAsJSON(),
      ready: () => reasonsNotReady(checks),
    },
    TIMEOUT_MS,
  )
  const nothingMissing = async (question: 'ready' | 'others'): Promise<void> => {
    const missing = await call(question)
    if (Array.isArray(missing) && missing.length > 0) throw new Error(missing.join('; '))
  }
  return {
    metrics: async () => String(await call('metrics')),
    ready: () => nothingMissing('ready'),
    othersServe: () => nothingMissing('others'),
    answerWith: (own) => {
      checks = own
    },
  }
}
