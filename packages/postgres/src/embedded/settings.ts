import { availableParallelism } from 'node:os'
import { machineMemory } from '@tidings/async'

/** Connections of a server: those beyond 100 only add contention on two cores; from nine on, each core brings twelve. */
export function embeddedConnections(cores: number = availableParallelism()): number {
  return Math.max(100, 12 * cores)
}

const MB = 1024 * 1024

/** The memory that every machine with an embedded server could map; the smallest default. */
export const SMALL_BUFFERS_MB = 128

/**
 * A sixteenth of the memory (of the container's, where it has a bound), from 128 MB to 1 GB; it is used as far as there are pages. With ten million
 * events, whose indices take 2.3 GB, an email to a recipient who comes once costs Postgres 118 to 162 µs of CPU with 1 GB, 183 to 209 with 128 MB and
 * 117 to 124 in a small log.
 */
export function embeddedBuffersMb(memory: number = machineMemory()): number {
  return Math.min(1_024, Math.max(SMALL_BUFFERS_MB, Math.floor(memory / 16 / MB)))
}

/** Three quarters of the memory, at least 1 GB: what the planner may expect to find in it. */
export function embeddedCacheMb(memory: number = machineMemory()): number {
  return Math.max(1_024, Math.floor((memory * 3) / 4 / MB))
}

/** Settings for two cores and a few hundred megabytes. */
const COMMON = {
  max_connections: String(embeddedConnections()),
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: `${embeddedCacheMb()}MB`,
  random_page_cost: '1.1',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // The statements are short and prepared: compiling or spreading them costs more than it saves.
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  timezone: 'UTC',
  // This is for roles that an operator makes; the password of Tidings itself was made with 1 iteration.
  scram_iterations: '4096',
  log_checkpoints: 'off',
  // A failed statement is reported to its client; the server's own log keeps starts, stops and fatal errors.
  log_min_messages: 'log',
} as const

/** What makes an acknowledged commit durable. */
const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' } as const

/**
 * A new WAL segment is sized, not filled: filling its 16 MB delays every commit for 13–40 ms, about once a second under load.
 * A commit into the unfilled file takes as long as into the filled one (ext4: p50 0.7–2.2 ms, p99 7–17 ms, either way).
 */
const STEADY = { wal_init_zero: 'off' } as const

/**
 * A plan made while a table was empty may read all rows of a workspace to find one, until the first `analyze`: by default a minute later.
 * Measured on a new data directory, Postgres' CPU for a send to a new recipient: 2.0 ms with such plans, 0.45 ms without. Not more often: each of the
 * server's three databases gets a worker in that time, of 11 ms of CPU, which at 5 s was two thirds of what an idle server took.
 */
const LASTING = { autovacuum_naptime: '15s' } as const

/** Settings of Postgres, by their names. */
export type Settings = Readonly<Record<string, string>>

/** The settings of an embedded server as arguments of `postgres`; `settings` replace its own. They are given at every start, so that a new version's apply at once. */
export function settingArguments({ buffersMb, settings }: Readonly<{ buffersMb: number; settings?: Settings }>): readonly string[] {
  const own = { ...COMMON, ...DURABLE, ...STEADY, ...LASTING, shared_buffers: `${buffersMb}MB` }
  return Object.entries({ ...own, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
