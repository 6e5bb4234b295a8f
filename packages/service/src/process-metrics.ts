import { readFileSync } from 'node:fs'
import type { ReferenceCache } from '@tidings/log-views'
import { counter, eachOf, observe, type Sample } from '@tidings/observability/metrics'
import type { ReadSide } from '@tidings/projections'
import type { Pool } from 'pg'
import type { Role } from './roles.ts'

// A process shows metrics of its own roles, and reads them only when it is scraped. A read costs the same however much waits.

/** The roles of this process: an alert can name a missing one. */
export function observeRoles(roles: ReadonlySet<Role>): void {
  observe({
    name: 'tidings_role',
    help: 'Roles of this process',
    labelNames: ['role'],
    read: () => [...roles].map((role) => ({ labels: { role }, value: 1 })),
  })
}

export const VERSION: string = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version

/** The version that runs: two of them during a rolling deploy. */
export function observeBuild(): void {
  observe({
    name: 'tidings_build_info',
    help: 'Always 1; its labels are the version of Tidings and of Node.js',
    labelNames: ['version', 'node'],
    read: () => [{ labels: { version: VERSION, node: process.versions.node }, value: 1 }],
  })
}

const poolSamples = (name: string, { totalCount, idleCount, waitingCount }: Pool): readonly Sample[] =>
  Object.entries({ open: totalCount, idle: idleCount, waiting: waitingCount }).map(([state, value]) => ({
    labels: { pool: name, state },
    value,
  }))

/** `requests` serves the API, `work` projections and lanes. */
export function observePools({ requests, work }: Readonly<{ requests: Pool; work: Pool }>): void {
  observe({
    name: 'tidings_pool_connections',
    help: 'Connections of a pool',
    labelNames: ['pool', 'state'],
    read: () => [...poolSamples('requests', requests), ...poolSamples('work', work)],
  })
}

export function observeCaches(caches: readonly ReferenceCache<object>[]): void {
  observe({
    name: 'tidings_cache_requests',
    help: 'Lookups in a reference cache since the start',
    labelNames: ['cache', 'answer'],
    read: () =>
      caches.flatMap((cache) => {
        const { hits, misses, bypassed } = cache.counts()
        return Object.entries({ hits, misses, bypassed }).map(([answer, value]) => ({ labels: { cache: cache.name, answer }, value }))
      }),
  })
}

/** The sum since the counter was collected: a counter with labels hashes them each time. */
const answered = { visible: 0, pending: 0 }

counter(
  {
    name: 'tidings_write_visible_total',
    help: 'Writes by whether reads showed them when they were answered: visible, pending',
    labelNames: ['answer'],
    collect() {
      for (const answer of ['visible', 'pending'] as const) {
        if (answered[answer] > 0) this.inc({ answer }, answered[answer])
        answered[answer] = 0
      }
    },
  },
  eachOf('answer', ['visible', 'pending']),
)

/** Counts how the waits of a read side end (M2: fewer than one in a hundred are `pending`). */
export function observeReads(reads: ReadSide): ReadSide {
  observe({ name: 'tidings_write_waiting', help: 'Writes that wait until reads show them', read: reads.waiting })
  return {
    ...reads,
    wait: async (position, projections, options) => {
      const answer = await reads.wait(position, projections, options)
      answered[answer]++
      return answer
    },
  }
}
