import type { ContactId, MessageId, WorkspaceId } from '@tidings/domain'
import { compiledQuery } from '@tidings/postgres'
import { type Kysely, sql } from 'kysely'
import { batchBySnapshot } from './batch-by-snapshot.ts'
import { forWorkspace } from './for-workspace.ts'
import type { MessageRow, ProfileRow, ReadModels } from './tables.ts'

/** Undefined where the workspace shows no such row. Look-ups of one turn of the event loop share a statement for each workspace and snapshot. */
export type ById<Row extends Readonly<{ id: string }>> = (workspaceId: WorkspaceId, id: Row['id']) => Promise<Row | undefined>

/** The look-up that every profile write and read ends with. */
export function profileById(db: Kysely<ReadModels>): ById<ProfileRow> {
  return byId(
    compiledQuery(db, (workspaceId: WorkspaceId, ids: readonly string[]) =>
      forWorkspace(db, workspaceId).profiles().selectAll().where('id', '=', anyOf<ContactId>(ids)),
    ),
  )
}

export function messageStatusById(db: Kysely<ReadModels>): ById<MessageRow> {
  return byId(
    compiledQuery(db, (workspaceId: WorkspaceId, ids: readonly string[]) =>
      forWorkspace(db, workspaceId).messages().selectAll().where('id', '=', anyOf<MessageId>(ids)),
    ),
  )
}

const anyOf = <Id extends string>(ids: readonly string[]) => sql<Id>`any(${ids}::uuid[])`

const MAX_IDS = 500

type Find<Row> = (workspaceId: WorkspaceId, ids: readonly string[]) => Promise<readonly Row[]>
type RowId = Readonly<{ workspaceId: WorkspaceId; id: string }>

const byId = <Row extends Readonly<{ id: string }>>(find: Find<Row>): ById<Row> => {
  const ask = batchBySnapshot({
    load: (asked: readonly RowId[]) => rowsOf(find, asked),
    pick: (rows, { workspaceId, id }) => rows.get(workspaceId)?.get(id),
    maxKeys: MAX_IDS,
  })
  return (workspaceId, id) => ask({ workspaceId, id: id.toLowerCase() })
}

const rowsOf = async <Row extends Readonly<{ id: string }>>(find: Find<Row>, asked: readonly RowId[]) => {
  const idsOf = Map.groupBy(asked, ({ workspaceId }) => workspaceId)
  const found = [...idsOf].map(async ([workspaceId, ids]) => {
    const rows = await find(
      workspaceId,
      ids.map(({ id }) => id),
    )
    return [workspaceId, new Map(rows.map((row) => [row.id, row]))] as const
  })
  return new Map(await Promise.all(found))
}
