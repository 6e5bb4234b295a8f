import { OperationFailed } from '@tidings/config'
import type { CustomFieldKind, ListId, WorkspaceId } from '@tidings/domain'
import { WrongColumns } from '@tidings/people'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import type { Pool } from 'pg'
import { WrongUsage } from '../terminal/answer.ts'

/** The kinds of custom properties that the workspace has declared. */
export async function customFieldKinds(pool: Pool, workspaceId: WorkspaceId): Promise<ReadonlyMap<string, CustomFieldKind>> {
  const fields = await forWorkspace(kyselyOn<ReadModels>(pool), workspaceId).customFields().select(['key', 'kind']).execute()
  return new Map(fields.map(({ key, kind }) => [key, kind]))
}

/** The static list of that name; throws one sentence where there is none. */
export async function staticList(pool: Pool, { id, slug }: Readonly<{ id: WorkspaceId; slug: string }>, name: string): Promise<ListId> {
  const [list] = await forWorkspace(kyselyOn<ReadModels>(pool), id)
    .lists()
    .select(['id', 'type'])
    .where('name', '=', name)
    .limit(1)
    .execute()
  if (list === undefined) throw new OperationFailed(`Workspace ${slug} has no list ${name}.`)
  if (list.type !== 'static') throw new OperationFailed(`The list ${name} of workspace ${slug} has a rule, which says who is on it.`)
  return list.id
}

/** Columns that cannot be used are wrong usage. */
export async function sayingColumns<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw error instanceof WrongColumns ? new WrongUsage(error.message) : error
  }
}
