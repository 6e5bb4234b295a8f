import { deferredJobs, FLOW_RUN, inboxDepth, openDeadLetters } from '@tidings/jobs'
import { observe, sharedRead } from '@tidings/observability/metrics'
import { kyselyOn } from '@tidings/postgres'
import { ignoredByCatalogue, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import type { RunningConsumers } from './running.ts'

/** Lag of the consumers of this process, and what waits in the inbox of the installation. `pool`: for what is read at a scrape. */
export function observeConsumers(pool: Pool, progress: RunningConsumers['progress']): void {
  const depth = sharedRead(() => inboxDepth(pool))
  const deadLetters = sharedRead(() => openDeadLetters(pool))
  observe({
    name: 'tidings_consumer_lag_seconds',
    help: 'Seconds that a consumer is behind the log',
    labelNames: ['consumer'],
    read: () => Object.entries(progress()).map(([consumer, { lagSeconds }]) => ({ labels: { consumer }, value: lagSeconds })),
  })
  observe({
    name: 'tidings_consumer_lag_events',
    help: 'Records that wait in the partitions of this process; only with Kafka',
    labelNames: ['consumer'],
    read: () =>
      Object.entries(progress()).flatMap(([consumer, { lagEvents }]) =>
        lagEvents === null ? [] : [{ labels: { consumer }, value: lagEvents }],
      ),
  })
  observe({
    name: 'tidings_inbox_jobs',
    help: 'Admitted jobs that are not done; from 10 000 of a kind on an estimate',
    labelNames: ['kind', 'state'],
    read: async () =>
      (await depth()).flatMap(({ kind, waiting, retrying }) => [
        { labels: { kind, state: 'waiting' }, value: waiting },
        { labels: { kind, state: 'retrying' }, value: retrying },
      ]),
  })
  observe({
    name: 'tidings_inbox_deferred',
    help: 'Jobs that were put off, by what they wait for; at most 10 000 of each are counted',
    labelNames: ['kind', 'for'],
    read: async () =>
      (await deferredJobs(pool)).map(({ kind, deferredFor, jobs }) => ({ labels: { kind, for: deferredFor }, value: jobs })),
  })
  observe({
    name: 'tidings_inbox_oldest_seconds',
    help: 'Age of the oldest admitted job; of flow runs, which wait for their time, see tidings_flow_due_lag_seconds',
    labelNames: ['kind'],
    read: async () =>
      (await depth())
        .filter(({ kind }) => kind !== FLOW_RUN)
        .map(({ kind, oldestSeconds }) => ({ labels: { kind }, value: oldestSeconds })),
  })
  observe({
    name: 'tidings_dead_letters',
    help: 'Open dead letters; at most the newest 10 000 of all consumers are counted',
    labelNames: ['consumer'],
    read: async () => (await deadLetters()).map(({ consumer, open }) => ({ labels: { consumer }, value: open })),
  })
  observeCatalogue(pool)
}

/** The names that event catalogues did not take, or dropped for newer ones, over all workspaces. */
function observeCatalogue(pool: Pool): void {
  const ignored = sharedRead(() => ignoredByCatalogue(kyselyOn<ReadModels>(pool)))
  observe({
    name: 'tidings_catalogue_ignored',
    help: 'Custom events and property names that event catalogues did not take, or dropped for newer ones, counted each time',
    labelNames: ['what'],
    read: async () => {
      const { names, properties } = await ignored()
      return [
        { labels: { what: 'events' }, value: names },
        { labels: { what: 'properties' }, value: properties },
      ]
    },
  })
}
