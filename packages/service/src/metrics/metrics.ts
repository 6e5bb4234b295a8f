import type { RunningRelay } from '@tidings/bus/kafka'
import { FLOW_RUN, type RunningConsumers } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import { inboxDepth, openDeadLetters } from '@tidings/inbox'
import type { ReferenceCache } from '@tidings/log-views'
import { listProjections, type Progress, type ProjectionReport, type ReadSide } from '@tidings/projections'
import type { Pool } from 'pg'
import { Counter, Gauge } from 'prom-client'
import type { Role } from '../roles.ts'
import type { Stores } from '../stores/open-stores.ts'
import { sharedRead } from './shared-read.ts'

// A process shows metrics of its own roles, and reads them only when it is scraped. A read costs the same however much waits.

type Sample = Readonly<{ labels: Readonly<Record<string, string>>; value: number }>

const passcodeRefusals = new Counter({
  name: 'tidings_passcodes_refused_total',
  help: 'Passcodes refused by a cap: five in ten minutes to a number, or the hourly ones of the workspace, to one prefix or altogether',
  labelNames: ['cap'],
  registers: [metrics],
})

/** Counts a passcode that was not sent because of a cap. */
export function countPasscodeRefusal(cap: string): void {
  passcodeRefusals.inc({ cap })
}

const signIns = new Counter({
  name: 'tidings_sign_ins_total',
  help: 'Sign-ins by outcome: signed_in, login_failed, login_slowed, login_ambiguous, workspace_not_active, too_many, error',
  labelNames: ['outcome'],
  registers: [metrics],
})

/** Counts how a sign-in ended. */
export function countSignIn(outcome: string): void {
  signIns.inc({ outcome })
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

/** The roles of this process: an alert can name a missing one. */
export function observeRoles(roles: ReadonlySet<Role>): void {
  gauge('tidings_role', 'Roles of this process', ['role'], () => [...roles].map((role) => ({ labels: { role }, value: 1 })))
}

const OWNED = new Set(['catching up', 'live', 'retrying'])

/** Lag and parked streams of each projection of the installation, and which of them this process runs. */
export function observeProjections({ pool, log }: Stores, progress: Progress): void {
  const list = sharedRead(() => listProjections(pool, log))
  const reports = async (figureOf: (report: ProjectionReport) => number | null): Promise<readonly Sample[]> =>
    (await list()).flatMap((report) => {
      const value = figureOf(report)
      return value === null ? [] : [{ labels: { projection: report.name }, value }]
    })
  gauge('tidings_projection_lag_events', 'Events between a projection and the end of the log', ['projection'], () =>
    reports(({ lagEvents }) => (lagEvents === null ? null : Number(lagEvents))),
  )
  gauge('tidings_projection_lag_seconds', 'Age of the oldest event a projection has not applied', ['projection'], () =>
    reports(({ lagSeconds }) => lagSeconds),
  )
  gauge('tidings_projection_parked_streams', 'Streams that a projection has parked', ['projection'], () =>
    reports(({ parkedStreams }) => parkedStreams),
  )
  gauge('tidings_projection_owned', 'Whether this process follows the projection', ['projection'], () =>
    [...progress.all()].map(([projection, { state }]) => ({ labels: { projection }, value: OWNED.has(state) ? 1 : 0 })),
  )
}

/** Lag of the consumers of this process, and what waits in the inbox of the installation. */
export function observeConsumers(pool: Pool, consumers: RunningConsumers['progress']): void {
  const depth = sharedRead(() => inboxDepth(pool))
  const deadLetters = sharedRead(() => openDeadLetters(pool))
  gauge('tidings_consumer_lag_seconds', 'Seconds that a consumer is behind the log', ['consumer'], () =>
    Object.entries(consumers()).map(([consumer, { lagSeconds }]) => ({ labels: { consumer }, value: lagSeconds })),
  )
  gauge('tidings_consumer_lag_events', 'Records that wait in the partitions of this process; only with Kafka', ['consumer'], () =>
    Object.entries(consumers()).flatMap(([consumer, { lagEvents }]) =>
      lagEvents === null ? [] : [{ labels: { consumer }, value: lagEvents }],
    ),
  )
  gauge('tidings_inbox_jobs', 'Admitted jobs that are not done; from 10 000 of a kind on an estimate', ['kind', 'state'], async () =>
    (await depth()).flatMap(({ kind, waiting, retrying }) => [
      { labels: { kind, state: 'waiting' }, value: waiting },
      { labels: { kind, state: 'retrying' }, value: retrying },
    ]),
  )
  gauge(
    'tidings_inbox_oldest_seconds',
    'Age of the oldest admitted job; of flow runs, which wait for their time, see tidings_flow_due_lag_seconds',
    ['kind'],
    async () =>
      (await depth())
        .filter(({ kind }) => kind !== FLOW_RUN)
        .map(({ kind, oldestSeconds }) => ({ labels: { kind }, value: oldestSeconds })),
  )
  gauge('tidings_dead_letters', 'Open dead letters; at most the newest 10 000 of all consumers are counted', ['consumer'], async () =>
    (await deadLetters()).map(({ consumer, open }) => ({ labels: { consumer }, value: open })),
  )
}

/** Whether this process publishes to Kafka, and how far it is behind the log. */
export function observeRelay(progress: RunningRelay['progress']): void {
  gauge('tidings_relay_leader', 'Whether this process publishes the log to Kafka; exactly one does', [], () => [
    { labels: {}, value: progress().leader ? 1 : 0 },
  ])
  gauge('tidings_relay_lag_seconds', 'Seconds that the relay is behind the log; only in the process that publishes', [], () =>
    progress().leader ? [{ labels: {}, value: progress().lagSeconds }] : [],
  )
  gauge('tidings_relay_published', 'Events that this process has published since its start', [], () => [
    { labels: {}, value: progress().published },
  ])
}

const poolSamples = (name: string, { totalCount, idleCount, waitingCount }: Pool): readonly Sample[] =>
  Object.entries({ open: totalCount, idle: idleCount, waiting: waitingCount }).map(([state, value]) => ({
    labels: { pool: name, state },
    value,
  }))

/** `requests` serves the API, `work` projections and lanes. */
export function observePools({ requests, work }: Readonly<{ requests: Pool; work: Pool }>): void {
  gauge('tidings_pool_connections', 'Connections of a pool', ['pool', 'state'], () => [
    ...poolSamples('requests', requests),
    ...poolSamples('work', work),
  ])
}

export function observeCaches(caches: readonly ReferenceCache<object>[]): void {
  gauge('tidings_cache_requests', 'Lookups in a reference cache since the start', ['cache', 'answer'], () =>
    caches.flatMap((cache) => {
      const { hits, misses, bypassed } = cache.counts()
      return Object.entries({ hits, misses, bypassed }).map(([answer, value]) => ({ labels: { cache: cache.name, answer }, value }))
    }),
  )
}

/** The sum since the counter was collected: a counter with labels hashes them each time. */
const answered = { visible: 0, pending: 0 }

new Counter({
  name: 'tidings_write_visible_total',
  help: 'Writes by whether reads showed them when they were answered: visible, pending',
  labelNames: ['answer'],
  registers: [metrics],
  collect() {
    for (const answer of ['visible', 'pending'] as const) {
      if (answered[answer] > 0) this.inc({ answer }, answered[answer])
      answered[answer] = 0
    }
  },
})

/** Counts how the waits of a read side end (M2: fewer than one in a hundred are `pending`). */
export function observeReads(reads: ReadSide): ReadSide {
  gauge('tidings_write_waiting', 'Writes that wait until reads show them', [], () => [{ labels: {}, value: reads.waiting() }])
  return {
    ...reads,
    wait: async (position, projections, options) => {
      const answer = await reads.wait(position, projections, options)
      answered[answer]++
      return answer
    },
  }
}
