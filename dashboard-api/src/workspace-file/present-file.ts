import { OperationFailed } from '@tidings/config'
import type { WorkspaceId } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { createProvisioner, type Provisioner, writeWorkspaceFile } from '@tidings/provisioning'
import { textOfFile } from '@tidings/provisioning/workspace-file'
import { forWorkspace, workspacesWithSender } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'

type Sources = Pick<DashboardDependencies, 'commands' | 'db'>

/** Records of one file here, of all kinds. */
export const MOST_RECORDS = 2_000

/** Reads for `applyWorkspaceFile` and for the writer; what it writes would be the operator's. */
export function readingLog({ commands, db }: Sources): Provisioner {
  return createProvisioner(commands, {
    dynamicLists: async (workspaceId) => {
      const rows = await forWorkspace(db, workspaceId).lists().select('id').where('type', '=', 'dynamic').execute()
      return rows.map(({ id }) => id)
    },
    workspacesWithSender: (senderIds) => workspacesWithSender(db, senderIds),
  })
}

/** The workspace as a file. Which records there are, the read models say; what they are, the log. */
export async function presentFile(sources: Sources, workspaceId: WorkspaceId): Promise<string> {
  const own = forWorkspace(sources.db, workspaceId)
  const most = MOST_RECORDS + 1
  const [templates, lists, campaigns, customFields, customEvents] = await Promise.all([
    own.templates().select('id').orderBy('created_at').orderBy('id').limit(most).execute(),
    own.lists().select('id').orderBy('created_at').orderBy('id').limit(most).execute(),
    own.campaigns().select(['id', 'name']).orderBy('created_at').orderBy('id').limit(most).execute(),
    own.customFields().select('id').orderBy('created_at').orderBy('id').limit(most).execute(),
    own.customEvents().select('id').orderBy('created_at').orderBy('id').limit(most).execute(),
  ])
  if ([templates, lists, campaigns, customFields, customEvents].some(({ length }) => length > MOST_RECORDS))
    throw invalidRequest(`The workspace has more than ${MOST_RECORDS} records of a kind, too many for a file`)
  const idOf = <Id>({ id }: Readonly<{ id: Id }>): Id => id
  const ids = {
    ...{ templates: templates.map(idOf), lists: lists.map(idOf), campaigns },
    ...{ customFields: customFields.map(idOf), customEvents: customEvents.map(idOf) },
  }
  try {
    return await textOfFile(await writeWorkspaceFile({ load: readingLog(sources).load, workspaceId, ids }))
  } catch (error) {
    throw error instanceof OperationFailed ? invalidRequest(error.message) : error
  }
}
