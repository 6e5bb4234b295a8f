import { type Static, Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { exampleTime } from './examples.ts'
import { NullableTimestamp, nullableText, oneOf, Timestamp, text, Uuid } from './kinds.ts'

// The projections of the installation, and the work of minutes that operators ask for (M105).

const count = Type.Integer({ minimum: 0 })
const nullableCount = Type.Unsafe<number | null>({ type: ['integer', 'null'] })
const orNull = <S extends ReturnType<typeof Type.Object>>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ ...schema, type: ['object', 'null'] })
const ProjectionAct = oneOf('rebuild', 'rebuild_beside', 'compare', 'swap', 'swap_back')

const ComparedTable = described(Type.Object({ table: Type.String(), equal: count, different: count, onlyLive: count, onlyNext: count }), {
  name: 'ComparedTable',
  about: 'How many rows of a table are the same in both versions.',
  fields: {
    table: 'The table.',
    equal: 'Rows that are the same.',
    different: 'Rows of the same key that say something else.',
    onlyLive: 'Rows that only the serving tables have.',
    onlyNext: 'Rows that only the tables beside have.',
  },
})

export const ProjectionJob = described(
  Type.Object({
    ...{ id: Uuid, projection: Type.String(), act: ProjectionAct, askedBy: Type.String(), askedAt: Timestamp },
    state: oneOf('waiting', 'running', 'done', 'failed', 'interrupted'),
    ...{ done: Type.Number(), total: Type.Number(), error: nullableText(), endedAt: NullableTimestamp },
    ...{ events: nullableCount, parked: nullableCount, tables: Type.Array(ComparedTable) },
  }),
  {
    name: 'ProjectionJob',
    about: 'Work of minutes on a projection that an operator asked for.',
    fields: {
      id: 'The UUID of the job.',
      projection: 'The projection.',
      act: 'What is done, as by the command of this name.',
      askedBy: 'Who asked, as the log names them.',
      askedAt: 'When.',
      state: '`interrupted`: the process that did it ended before it did; it has to be asked for again.',
      done: 'The position of the log that is reached.',
      total: 'Where the log ended when the work began.',
      error: 'Why it was refused; null where it was not, and where only the log of the process says why it failed.',
      endedAt: 'When it ended.',
      events: 'The events of a rebuild; null of anything else.',
      parked: 'Streams that the tables skip; null of what has not ended well, and of a comparison.',
      tables: 'What a comparison found; nothing of anything else.',
    },
    example: {
      ...{ id: '0192f000-0000-7000-8000-0000000000c1', projection: 'profiles', act: 'rebuild_beside' as const },
      ...{ askedBy: 'operator:0192f000-0000-7000-8000-000000000001', askedAt: exampleTime, state: 'running' as const },
      ...{ done: 61_000, total: 100_000, error: null, endedAt: null, events: null, parked: null, tables: [] },
    },
  },
)
export type ProjectionJob = Static<typeof ProjectionJob>

const TablesBeside = described(Type.Object({ version: Type.Integer(), builtAt: Timestamp, until: Timestamp }), {
  fields: { version: 'Their version.', builtAt: 'When they were built, or taken out.', until: 'Until when they are kept.' },
})

const SystemProjection = described(
  Type.Object({
    ...{ name: Type.String(), version: Type.Integer(), state: Type.String(), behind: nullableCount, parkedStreams: count },
    ...{ failure: nullableText(), next: orNull(TablesBeside), previous: orNull(TablesBeside), jobs: Type.Array(ProjectionJob) },
  }),
  {
    name: 'SystemProjection',
    about: 'A projection, with the tables beside those that serve.',
    fields: {
      name: 'Its name.',
      version: 'The version of the tables that serve.',
      state: 'What its owner says; `silent` where no process is heard of that runs it.',
      behind: 'How many events of the log come after it; null where the store does not number them one by one.',
      parkedStreams: 'Streams that it skips because one of their events failed.',
      failure: 'Why it stands still; null where it does not.',
      next: 'Tables that were built beside, to be compared and swapped in; null where there are none.',
      previous: 'Tables that a swap took out, which can be swapped back; null where there are none.',
      jobs: 'What was last asked for; nothing where nothing was.',
    },
  },
)
export type SystemProjection = Static<typeof SystemProjection>

export const SystemProjections = described(Type.Object({ items: Type.Array(SystemProjection) }), {
  name: 'SystemProjections',
  about: 'The projections of the installation.',
  fields: { items: 'By name.' },
})
export type SystemProjections = Static<typeof SystemProjections>

export const AskProjectionJobBody = described(Type.Object({ projection: text(63, { trim: true, notEmpty: true }), act: ProjectionAct }), {
  name: 'AskProjectionJobBody',
  about: 'What is to be done with a projection.',
  fields: { projection: 'Its name.', act: 'What is done, as by the command of this name.' },
  example: { projection: 'profiles', act: 'rebuild_beside' },
})
