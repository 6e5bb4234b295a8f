import type { ConsumerProgress } from '@tidings/bus'
import type { RunningRelay } from '@tidings/bus/kafka'
import type { ReadinessCheck } from '@tidings/http'
import { SEND_KINDS } from '@tidings/jobs'
import { projectionOwners } from '@tidings/projections'
import { type Projectors, projections } from '@tidings/projectors'
import type { Pool } from 'pg'
import type { PrimaryAsked } from '../replicas/open-read-stores.ts'
import type { ReplicaReads } from '../replicas/replica-reads.ts'
import type { Role } from '../roles.ts'
import type { Database } from '../stores/connect-database.ts'
import type { OpenedStore } from '../stores/open-eventstoredb.ts'
import { takesLock } from '../stores/takes-lock.ts'
import { projectionsAreLive } from './projections-live.ts'

/** What `/health/ready` asks before it says yes, by the name it gives what is missing. */
export type Checks = Readonly<Record<string, ReadinessCheck>>

type Consumers = Readonly<{ progress: () => Readonly<Record<string, ConsumerProgress>> }>

/** `projectors`, `consumers` and `relay` are null where this process does not have the role. */
export type Checked = Readonly<{
  stores: Readonly<{ pool: Pool; ready: OpenedStore['ready']; serverFault: Database['serverFault'] }>
  roles: ReadonlySet<Role>
  follower: Readonly<{ isCaughtUp: () => boolean }>
  projectors: Projectors | null
  consumers: Consumers | null
  relay: RunningRelay | null
}>

export function createChecks({ stores: { pool, ready, serverFault }, roles, follower, projectors, consumers, relay }: Checked): Checks {
  const servesRequests = roles.has('command-api') || roles.has('query-api')
  return {
    database: databaseAnswers({ pool, serverFault }),
    ...ready,
    'event log': logIsFollowed(follower),
    ...(servesRequests && { 'read models': readModelsExist(pool) }),
    ...(consumers && { consumers: consumersKnowTheirEvents(consumers), inbox: inboxTakesWork(pool) }),
    ...(relay && { relay: servesRequests ? relayKnowsItsEvents(relay) : relay.ready }),
    projections: projectionsAreLive({ progress: projectors?.progress ?? null, owners: projectionOwners(pool) }),
  }
}

type QueryOnly = Readonly<{ pools: Answering; replicas: ReplicaReads | null; primaryAsked: PrimaryAsked | null }>

/** With replicas these are asked of the primary while it answers; while it does not, one replica is enough. */
export function createQueryOnlyChecks({ pools: { pool, serverFault }, replicas, primaryAsked }: QueryOnly): Checks {
  const answers = databaseAnswers({ pool, serverFault })
  const checks = {
    database: async () => {
      await answers()
      await primaryAsked?.ask()
    },
    'read models': readModelsExist(pool),
    projections: projectionsAreLive({ progress: null, owners: projectionOwners(pool) }),
  }
  if (replicas === null) return checks
  const { isPrimaryAway, fit } = replicas.watch
  const goesOn = () => isPrimaryAway() && fit().length > 0
  const unlessGoingOn =
    (check: ReadinessCheck): ReadinessCheck =>
    async () => {
      if (goesOn()) return
      // The watch may find later than this check that the primary is away.
      await check().catch((error: unknown) => {
        if (!goesOn()) throw error
      })
    }
  const whileGoingOn = Object.fromEntries(Object.entries(checks).map(([name, check]) => [name, unlessGoingOn(check)]))
  const database = async () => {
    // A primary that refuses a process which it has never admitted is no outage.
    if (primaryAsked?.isRefused()) await primaryAsked.ask()
    await whileGoingOn.database?.()
  }
  return { ...whileGoingOn, database }
}

/** What a process with replicas does without, by name. */
export function lackingReplicas({ watch }: ReplicaReads): Checks {
  const replicas = watch.replicas.map((replica) => {
    const check: ReadinessCheck = async () => {
      if (replica.fault !== null) throw new Error(`it ${replica.fault}`)
    }
    return [`replica ${replica.name}`, check] as const
  })
  const primary: ReadinessCheck = async () => {
    if (watch.isPrimaryAway()) throw new Error('it is away: reads are answered as the replicas have them')
  }
  return { database: primary, ...Object.fromEntries(replicas) }
}

type Answering = Readonly<{ pool: Pool; serverFault: Database['serverFault'] }>

/** What keeps a server from running says more than that it does not answer. */
function databaseAnswers({ pool, serverFault }: Answering): ReadinessCheck {
  return async () => {
    try {
      await pool.query('select 1')
    } catch (error) {
      throw (await serverFault()) ?? error
    }
  }
}

/** Decisions use caches that follow the log. */
function logIsFollowed(follower: Checked['follower']): ReadinessCheck {
  return async () => {
    if (!follower.isCaughtUp()) throw new Error('the event log has not been heard for a second')
  }
}

/** The first process with the role projectors creates the tables. */
function readModelsExist(pool: Pool): ReadinessCheck {
  const names = projections.map(({ name }) => name)
  return async () => {
    const { rows } = await pool.query<{ projection: string }>('select projection from ops.projection_checkpoint')
    const existing = new Set(rows.map(({ projection }) => projection))
    const missing = names.filter((name) => !existing.has(name))
    if (missing.length > 0) throw new Error(`no tables yet of ${missing.join(', ')}: start a process with the role projectors`)
  }
}

const unknownEventSentence = (what: string, event: string): string =>
  `${what} stands before ${event}, which a newer version wrote: start that version`

/** A consumer stops at an event that only a newer version knows. */
function consumersKnowTheirEvents({ progress }: Consumers): ReadinessCheck {
  return async () => {
    const stopped = Object.entries(progress()).flatMap(([group, { unknownEvent }]) =>
      unknownEvent === null ? [] : [unknownEventSentence(group, unknownEvent)],
    )
    if (stopped.length > 0) throw new Error(stopped.join('; '))
  }
}

/** The same of the relay. Beside an API nothing else of it counts: without Kafka requests are answered all the same. */
function relayKnowsItsEvents({ progress }: RunningRelay): ReadinessCheck {
  return async () => {
    const { unknownEvent } = progress()
    if (unknownEvent !== null) throw new Error(unknownEventSentence('the relay', unknownEvent))
  }
}

const KINDS = Object.values(SEND_KINDS).flatMap((kinds) => Object.values(kinds))

const HOLDER = `
  select coalesce(nullif(a.application_name, ''), 'a connection') as name, a.pid
  from pg_locks l left join pg_stat_activity a using (pid)
  where l.locktype = 'advisory' and l.classid = 730511 and l.objid::int8 = (hashtext($1)::int8 & 4294967295) and l.granted limit 1`

/** Goes the way of a send as far as the lock of its kind: any login of the database can take it. */
export function inboxTakesWork(pool: Pool): ReadinessCheck {
  return async () => {
    for (const kind of KINDS)
      await takesLock(pool, {
        lock: { text: 'select inbox.lock_kind($1)', values: [kind] },
        holder: { text: HOLDER, values: [kind] },
        what: `no ${kind} can be begun: the lock of the kind`,
      })
  }
}
