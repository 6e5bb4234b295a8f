import type { StreamReader } from '@tidings/codec'
import type { StoredEvent } from '@tidings/commands'
import type { WorkspaceId } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { type Editable, readRecord } from './editable.ts'
import { namesOfActors } from './last-change.ts'

/** How the events of a record's own stream are its versions. `first`: the number of the first event; versions count from 1, so event 0 is none. */
export type VersionedRecord<E extends StoredEvent, Action extends string, Content> = Readonly<{
  stream: string
  first: 0 | 1
  /** `content` null: the event leaves it as it was. */
  describe: (event: E, version: number) => Readonly<{ what: Action; restoredFrom?: number | undefined; content: Content | null }>
}>

type VersionHead<Action> = Readonly<{ version: number; at: string; what: Action; restoredFrom: number | null }>
type StoredVersion<Action, Content> = VersionHead<Action> & Readonly<{ actor: string; content: Content }>

type PageAsked = Readonly<{ workspaceId: WorkspaceId; from: number; limit: number }>

/** Versions from the number `from` down. */
const versionsDown = async <E extends StoredEvent, Action extends string, Content>(
  log: StreamReader,
  { stream, first, describe }: VersionedRecord<E, Action, Content>,
  { workspaceId, from, limit }: PageAsked,
): Promise<readonly StoredVersion<Action, Content | null>[]> => {
  const events = await log.readStream<E>(workspaceId, stream, { direction: 'backwards', from: from - first, limit })
  return events
    .map((event) => {
      const version = event.revision + first
      const { what, restoredFrom = null, content } = describe(event, version)
      return { version, at: event.meta.at, actor: event.meta.actor, what, restoredFrom, content }
    })
    .filter(({ version }) => version > 0)
}

/** Versions of a page: each is read with its content. */
const LIMIT = 20

type VersionPage<Action> = { items: (VersionHead<Action> & Readonly<{ by: string }>)[]; next_cursor: string | null }
type Sources = Pick<DashboardDependencies, 'commands' | 'db' | 'log'>
type VersionsAsked<C, E extends StoredEvent, S, R, Action extends string, Content> = Readonly<{
  editable: Editable<C, E, S, R>
  versioned: VersionedRecord<E, Action, Content>
  after?: number | undefined
}>

/** The versions before `after`, or the last ones, newest first, with who made them. */
export async function pageOfVersions<C, E extends StoredEvent, S, R, Action extends string, Content>(
  deps: Sources,
  workspaceId: WorkspaceId,
  { editable, versioned, after }: VersionsAsked<C, E, S, R, Action, Content>,
): Promise<VersionPage<Action>> {
  const { revision } = await readRecord(deps, workspaceId, editable)
  const newest = revision + versioned.first
  const from = Math.min((after ?? newest + 1) - 1, newest)
  const versions = from < 1 ? [] : await versionsDown(deps.log, versioned, { workspaceId, from, limit: LIMIT })
  const nameOf = await namesOfActors(
    deps.db,
    workspaceId,
    versions.map(({ actor }) => actor),
  )
  const last = versions.at(-1)?.version ?? 1
  return {
    items: versions.map(({ version, at, actor, what, restoredFrom }) => ({ version, at, by: nameOf(actor), what, restoredFrom })),
    next_cursor: last > 1 ? String(last) : null,
  }
}

/** Events that are read together: each may hold megabytes. */
const PAGE = 4

/** The version and the content that the record had since; null where there is no such version. */
export async function versionOf<E extends StoredEvent, Action extends string, Content>(
  { log }: Pick<DashboardDependencies, 'log'>,
  versioned: VersionedRecord<E, Action, Content>,
  { workspaceId, version }: Readonly<{ workspaceId: WorkspaceId; version: number }>,
): Promise<StoredVersion<Action, Content> | null> {
  let wanted: StoredVersion<Action, Content | null> | undefined
  for (let from = version; from > 0; from -= PAGE) {
    const page = await versionsDown(log, versioned, { workspaceId, from, limit: PAGE })
    wanted ??= page[0]
    // Read from behind its end, a stream begins with its last event.
    if (wanted?.version !== version) return null
    const { content = null } = page.find((one) => one.content !== null) ?? {}
    if (content !== null) return { ...wanted, content }
  }
  return null
}
