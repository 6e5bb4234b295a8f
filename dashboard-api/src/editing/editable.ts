import { hash } from 'node:crypto'
import type { StoredEvent } from '@tidings/commands'
import { type ApiRefusalCode, type Decider, Refused, type WorkspaceId } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'

/** A record that people edit (M74): the stream that it is kept in, and what that says of it. Many records may share a stream. */
export type Editable<C, E extends StoredEvent, S, R> = Readonly<{
  decider: Decider<C, E, S>
  stream: string
  /** What the state says of the record, of which its etag is made: all that a form shows and no more. Null where there is none. */
  recordIn: (state: S) => R | null
  /** Whether an event of the stream changes this record. Left out where the record has its stream to itself. */
  changes?: (event: E) => boolean
  notFound: ApiRefusalCode
}>

export type ReadRecord<R, S> = Readonly<{ record: R; etag: string; revision: number; state: S }>

/** Keys in the order of their names: one value has one text. */
const sorted = (_key: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** The SHA-256 of the record as JSON, in hex. */
export function etagOf(record: unknown): string {
  return hash('sha256', JSON.stringify(record, sorted), 'hex')
}

/** The record as of the log, with its etag, and the state that says it. Throws what `notFound` says where there is none. */
export async function readRecord<C, E extends StoredEvent, S, R>(
  { commands }: Pick<DashboardDependencies, 'commands'>,
  workspaceId: WorkspaceId,
  { decider, stream, recordIn, notFound }: Editable<C, E, S, R>,
): Promise<ReadRecord<R, S>> {
  const { state, revision } = await commands.load({ decider, stream, workspaceId })
  const record = recordIn(state)
  if (record === null) throw new Refused(notFound)
  return { record, etag: etagOf(record), revision, state }
}
