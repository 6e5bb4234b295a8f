import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { NullableTimestamp, nullableText, Timestamp, Uuid } from './kinds.ts'

// The installation as operators see it: what runs, what is behind, and what waits.

const count = Type.Integer({ minimum: 0 })
const nullableNumber = Type.Unsafe<number | null>({ type: ['number', 'null'] })
const behind = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
const BEHIND = 'How many events of the log come after it; null where the store does not number them one by one.'

const RunningProcess = described(Type.Object({ id: Uuid, roles: Type.Array(Type.String()), startedAt: Timestamp, heardAt: Timestamp }), {
  name: 'RunningProcess',
  about: 'A process of the installation that was heard of in the last five seconds.',
  fields: {
    id: 'The UUID of the process, which ends with it.',
    roles: 'What it does.',
    startedAt: 'When it started.',
    heardAt: 'When it was last heard of.',
  },
})

const MissingPart = described(Type.Object({ name: Type.String(), reason: Type.String() }), {
  name: 'MissingPart',
  about: 'What is not ready, as `GET /health/ready` says.',
  fields: { name: 'The check.', reason: 'Why it fails.' },
})

const ConsumerPosition = described(Type.Object({ name: Type.String(), behind }), {
  name: 'ConsumerPosition',
  about: 'How far a consumer is.',
  fields: { name: 'The group of the consumer.', behind: BEHIND },
})

const ProjectionState = described(
  Type.Object({
    ...{ name: Type.String(), version: Type.Integer(), state: Type.String(), behind, behindSeconds: nullableNumber },
    ...{ parkedStreams: count, failure: nullableText() },
  }),
  {
    name: 'ProjectionState',
    about: 'A projection of the log into tables.',
    fields: {
      name: 'Its name.',
      version: 'The version of the tables that serve.',
      state: 'What its owner says, like `live`; `silent` where no process is heard of that runs it.',
      behind: BEHIND,
      behindSeconds: 'For how long it has been behind; null where that is not known.',
      parkedStreams: 'Streams that it skips because one of their events failed.',
      failure: 'Why it stands still; null where it does not.',
    },
  },
)

const JobQueue = described(Type.Object({ kind: Type.String(), waiting: count, retrying: count, oldestSeconds: Type.Number() }), {
  name: 'JobQueue',
  about: 'What waits of one kind of job.',
  fields: {
    kind: 'The kind.',
    waiting: 'Jobs of the kind, those that run included; an estimate above 10 000.',
    retrying: 'Those of them that failed before.',
    oldestSeconds: 'The age of the oldest one.',
  },
})

const OpenLetters = described(Type.Object({ consumer: Type.String(), open: count }), {
  name: 'OpenLetters',
  about: 'Dead letters that somebody has to decide about.',
  fields: { consumer: 'What gave them up.', open: 'How many; of all together the newest 10 000 are counted.' },
})

const WaitingWebhooks = described(Type.Object({ endpoints: count, deliveries: count, longest: count }), {
  name: 'WaitingWebhooks',
  about: 'Webhook deliveries that wait.',
  fields: {
    endpoints: 'Endpoints that something waits for; at most 10 000 are counted.',
    deliveries: 'What waits for these.',
    longest: 'What waits for the one that most waits for.',
  },
})

const ProofState = described(
  Type.Object({ events: count, head: NullableTimestamp, anchored: NullableTimestamp, fingerprint: Type.String() }),
  {
    name: 'ProofState',
    about: 'The tree over the log that proves it.',
    fields: {
      events: 'Events in the tree.',
      head: 'When the last event of the newest signed head was recorded; null before the first.',
      anchored: 'When a head was last kept outside; null where none ever was.',
      fingerprint: 'The fingerprint of the key that signs exports of consents.',
    },
  },
)

const SystemFinding = described(Type.Object({ check: Type.String(), ok: Type.Boolean(), said: Type.String(), mend: nullableText() }), {
  name: 'SystemFinding',
  about: 'What one check of the installation found, as `tidings doctor` says it.',
  fields: {
    check: 'What was looked at.',
    ok: 'Whether it is well.',
    said: 'What was found, without a secret.',
    mend: 'What to do about it, or advice about what is well; null where there is none.',
  },
})

export const SystemFindings = described(Type.Object({ items: Type.Array(SystemFinding) }), {
  name: 'SystemFindings',
  about: 'What the checks of the installation found.',
  fields: { items: 'The checks, in the order of `tidings doctor`.' },
})
export type SystemFindings = Static<typeof SystemFindings>

export const SystemState = described(
  Type.Object({
    ...{ processes: Type.Array(RunningProcess), missing: Type.Array(MissingPart), head: Type.String() },
    ...{ consumers: Type.Array(ConsumerPosition), projections: Type.Array(ProjectionState), queues: Type.Array(JobQueue) },
    ...{ deadLetters: Type.Array(OpenLetters), webhooks: WaitingWebhooks, proof: ProofState },
  }),
  {
    name: 'SystemState',
    about: 'The installation now.',
    fields: {
      processes: 'The processes that run; at most 200.',
      missing: 'What the process that answered is not ready for; nothing where it is ready.',
      head: 'The last position of the log.',
      consumers: 'The consumers, by name.',
      projections: 'The projections, by name.',
      queues: 'The kinds of jobs that wait.',
      deadLetters: 'What failed for good, by consumer.',
      webhooks: 'Webhook deliveries that wait.',
      proof: 'The proof of the log.',
    },
  },
)
export type SystemState = Static<typeof SystemState>
