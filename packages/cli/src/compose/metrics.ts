import type { ReferenceCache } from '@tidings/commands'
import type { RunningConsumers } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import { inboxDepth, openDeadLetters } from '@tidings/inbox'
import { listProjections, type ProjectionReport } from '@tidings/projections'
import type { Pool } from 'pg'
import { Counter, Gauge } from 'prom-client'
import type { Stores } from './stores.ts'

type Sample = Readonly<{ labels: Readonly<Record<string, string>>; value: number }>

/** What is looked at when somebody scrapes, and not before. */
type Observed = Readonly<{
  stores: Stores
  caches: readonly ReferenceCache<object>[]
  consumers: () => ReturnType<RunningConsumers['progress']>
}>

const providerCalls = new Counter({
  name: 'tidings_provider_calls_total',
  help: 'Calls of a provider by how they ended: accepted, recipient, refused, temporary',
  labelNames: ['channel', 'result'],
  registers: [metrics],
})
const providerSeconds = new Counter({
  name: 'tidings_provider_call_seconds_total',
  help: 'Time spent in calls of a provider',
  labelNames: ['channel'],
  registers: [metrics],
})

/** Counts one call of the email provider. */
export const countEmailCall = (result: string, ms: number): void => {
  providerCalls.inc({ channel: 'email', result })
  providerSeconds.inc({ channel: 'email' }, ms / 1_000)
}

/** A gauge that asks when it is scraped. A database that does not answer leaves it empty: `/health/ready` says why. */
const gauge = (
  name: string,
  help: string,
  labelNames: readonly string[],
  read: () => Promise<readonly Sample[]> | readonly Sample[],
): void => {
  metrics.removeSingleMetric(name)
  new Gauge({
    name,
    help,
    labelNames: [...labelNames],
    registers: [metrics],
    async collect() {
      this.reset()
      for (const { labels, value } of await Promise.resolve(read()).catch(() => [])) this.set({ ...labels }, value)
    },
  })
}

const observeProjections = ({ pool, log }: Stores): void => {
  const reports = async (figureOf: (report: ProjectionReport) => number | null): Promise<readonly Sample[]> =>
    (await listProjections(pool, log)).flatMap((report) => {
      const value = figureOf(report)
      return value === null ? [] : [{ labels: { projection: report.name }, value }]
    })
  gauge('tidings_projection_lag_events', 'Events between a projection and the end of the log', ['projection'], () =>
    reports(({ lagEvents }) => (lagEvents === null ? null : Number(lagEvents))),
  )
  gauge('tidings_projection_lag_seconds', 'Age of the oldest event a projection has not applied', ['projection'], () =>
    reports(({ lagSeconds }) => lagSeconds),
  )
  gauge('tidings_projection_parked_streams', 'Streams a projection left aside', ['projection'], () =>
    reports(({ parkedStreams }) => parkedStreams),
  )
}

const observeWork = ({ pool }: Stores, consumers: Observed['consumers']): void => {
  gauge('tidings_consumer_lag_seconds', 'How far a consumer is behind the log', ['consumer'], () =>
    Object.entries(consumers()).map(([consumer, { lagSeconds }]) => ({ labels: { consumer }, value: lagSeconds })),
  )
  gauge('tidings_inbox_jobs', 'Admitted jobs that are not done', ['kind', 'state'], async () =>
    (await inboxDepth(pool)).flatMap(({ kind, waiting, retrying }) => [
      { labels: { kind, state: 'waiting' }, value: waiting },
      { labels: { kind, state: 'retrying' }, value: retrying },
    ]),
  )
  gauge('tidings_inbox_oldest_seconds', 'Age of the oldest admitted job', ['kind'], async () =>
    (await inboxDepth(pool)).map(({ kind, oldestSeconds }) => ({ labels: { kind }, value: oldestSeconds })),
  )
  gauge('tidings_dead_letters', 'Dead letters that wait for somebody', ['consumer'], async () =>
    (await openDeadLetters(pool)).map(({ consumer, open }) => ({ labels: { consumer }, value: open })),
  )
}

const poolSamples = (name: string, { totalCount, idleCount, waitingCount }: Pool): readonly Sample[] =>
  Object.entries({ open: totalCount, idle: idleCount, waiting: waitingCount }).map(([state, value]) => ({
    labels: { pool: name, state },
    value,
  }))

/** Lag, queues, pools and caches of this process, for `/metrics` (operator.md §7). */
export const observe = ({ stores, caches, consumers }: Observed): void => {
  observeProjections(stores)
  observeWork(stores, consumers)
  gauge('tidings_pool_connections', 'Connections of a pool', ['pool', 'state'], () => [
    ...poolSamples('requests', stores.pool),
    ...poolSamples('work', stores.workPool),
  ])
  gauge('tidings_cache_requests', 'Questions to a reference cache since the start', ['cache', 'answer'], () =>
    caches.flatMap((cache) => {
      const { hits, misses, bypassed } = cache.counts()
      return Object.entries({ hits, misses, bypassed }).map(([answer, value]) => ({ labels: { cache: cache.name, answer }, value }))
    }),
  )
}
