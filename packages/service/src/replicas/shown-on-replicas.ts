import { setTimeout as sleep } from 'node:timers/promises'
import { createSingleFlight } from '@tidings/async'
import { comparePositions, type Position } from '@tidings/event-store'
import type { ReadYourWrites } from '@tidings/projections'
import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import type { ReplicaWatch } from './watch-replicas.ts'
import type { Replica } from './watched-replica.ts'

/** The longest wait for all of it (M2). */
const TIMEOUT_MS = 2_000
const POLL_MS = 5

type Checkpoint = Readonly<{ projection: string; commit: bigint; prepare: bigint }>
type Checkpoints = ReadonlyMap<string, Position>

const SQL = 'select projection, position_commit as commit, position_prepare as prepare from ops.projection_checkpoint'

const checkpointsOf = async (pool: Pool): Promise<Checkpoints> => {
  const { rows } = await pool.query<Checkpoint>({ name: 'replica checkpoints', text: SQL })
  return new Map(rows.map(({ projection, ...position }) => [projection, position]))
}

/**
 * A write is visible when every replica that may be read shows it, by its own checkpoints; `pending` where one does not within the time. A replica that goes
 * away meanwhile is not waited for.
 */
export function shownOnReplicas(reads: ReadYourWrites, watch: ReplicaWatch): ReadYourWrites {
  const share = createSingleFlight<Checkpoints | null>()
  const untilShown = async (replica: Replica, wanted: WantedPosition): Promise<boolean> => {
    while (watch.awaited().includes(replica)) {
      const asked = share(replica.name, () => checkpointsOf(replica.watched).catch(() => null))
      // A replica that hangs does not answer before a look gives it up.
      const found = await pTimeout(asked, { milliseconds: Math.max(1, wanted.deadline - performance.now()), fallback: () => null })
      if (found !== null && isShown(found, wanted)) return true
      if (performance.now() > wanted.deadline) return false
      await sleep(POLL_MS)
    }
    return true
  }
  return {
    wait: async (position, projections, options) => {
      const deadline = performance.now() + TIMEOUT_MS
      const outcome = await reads.wait(position, projections, options)
      if (outcome === 'pending' || position === null) return outcome
      const shown = await Promise.all(watch.awaited().map((replica) => untilShown(replica, { position, projections, deadline })))
      return shown.every(Boolean) ? 'visible' : 'pending'
    },
  }
}

type WantedPosition = Readonly<{ position: Position; projections: readonly string[]; deadline: number }>

const isShown = (found: Checkpoints, { position, projections }: WantedPosition): boolean =>
  projections.every((name) => {
    const at = found.get(name)
    return at !== undefined && comparePositions(at, position) >= 0
  })
