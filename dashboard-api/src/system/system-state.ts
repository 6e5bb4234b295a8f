import { handledByGroups } from '@tidings/bus'
import type { SystemState } from '@tidings/contracts'
import { inboxDepth, openDeadLetters } from '@tidings/jobs'
import { listProjections } from '@tidings/projections'
import type { Pool } from 'pg'
import type { DashboardDependencies } from '../dependencies.ts'

type Sources = Pick<DashboardDependencies, 'pool' | 'log' | 'missingParts' | 'openLogKey'>

type ProcessRow = Readonly<{ id: string; role: string; started_at: Date; heartbeat_at: Date }>

const PROCESSES = `select id, role, started_at, heartbeat_at from ops.process
  where heartbeat_at > clock_timestamp() - interval '5 seconds' order by started_at, id limit 200`

/** Queues beyond so many are not counted. */
const COUNTED_QUEUES = 10_000
const WEBHOOKS = 'select queues as endpoints, waiting::float8 as deliveries, longest from webhooks.depth($1)'

type ProofRow = Readonly<{ events: number; head: Date | null; anchored: Date | null }>

/** Only the last heads are looked at for one that was anchored: each anchors those before it. */
const PROOF = `select coalesce((select size from proof.tree), 0)::float8 as events,
  (select at from proof.head order by size desc limit 1) as head,
  (select max(anchored_at) from (select anchored_at from proof.head order by size desc limit 1000) h) as anchored`

async function runningProcesses(pool: Pool): Promise<SystemState['processes']> {
  const { rows } = await pool.query<ProcessRow>(PROCESSES)
  return rows.map(({ id, role, started_at, heartbeat_at }) => ({
    ...{ id, roles: role.split('+') },
    ...{ startedAt: started_at.toISOString(), heardAt: heartbeat_at.toISOString() },
  }))
}

async function proofState({ pool, openLogKey }: Pick<Sources, 'pool' | 'openLogKey'>): Promise<SystemState['proof']> {
  const { rows } = await pool.query<ProofRow>(PROOF)
  const { fingerprint } = await openLogKey()
  const { events = 0, head = null, anchored = null } = rows[0] ?? {}
  return { events, head: head?.toISOString() ?? null, anchored: anchored?.toISOString() ?? null, fingerprint }
}

/** Costs the same whatever waits: what may be many is counted up to a bound. One question after the other, so that it takes one connection from requests. */
export async function systemState({ pool, log, missingParts, openLogKey }: Sources): Promise<SystemState> {
  const missing = await missingParts()
  const processes = await runningProcesses(pool)
  const head = await log.head()
  const projections = await listProjections(pool, log)
  const groups = await handledByGroups(pool)
  const queues = await inboxDepth(pool)
  const deadLetters = await openDeadLetters(pool)
  const { rows: webhooks } = await pool.query<SystemState['webhooks']>(WEBHOOKS, [COUNTED_QUEUES])
  const proof = await proofState({ pool, openLogKey })
  const isDense = head.prepare <= 0n
  return {
    ...{ missing: [...missing], processes, head: String(head.commit) },
    consumers: groups.map(({ group, commit }) => ({ name: group, behind: isDense ? Math.max(0, Number(head.commit - commit)) : null })),
    projections: projections.map(({ name, version, state, lagEvents, lagSeconds, parkedStreams, failure }) => ({
      ...{ name, version, state, parkedStreams },
      ...{ behind: lagEvents === null ? null : Number(lagEvents), behindSeconds: lagSeconds, failure: failure?.message ?? null },
    })),
    ...{ queues: [...queues], deadLetters: [...deadLetters] },
    webhooks: webhooks[0] ?? { endpoints: 0, deliveries: 0, longest: 0 },
    proof,
  }
}
