import type { EditedTemplate } from '@tidings/contracts'
import { type TemplateId, type TemplateState, template, templateStream, type WorkspaceId } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { lastChange } from '../editing/last-change.ts'

/** All of what the stream says is the record; a template has its stream to itself. */
export function editableTemplate(workspaceId: WorkspaceId, templateId: TemplateId) {
  return {
    decider: template,
    stream: templateStream(workspaceId, templateId),
    recordIn: (state: TemplateState) => (state.exists ? state : null),
    notFound: 'template_not_found',
  } as const
}

/** The template as of the log, and who made it so. */
export async function editedTemplate(
  deps: Pick<DashboardDependencies, 'commands' | 'db' | 'log'>,
  { workspaceId, templateId }: Readonly<{ workspaceId: WorkspaceId; templateId: TemplateId }>,
): Promise<EditedTemplate> {
  const editable = editableTemplate(workspaceId, templateId)
  const { record, etag, revision } = await readRecord(deps, workspaceId, editable)
  const change = await lastChange(deps, workspaceId, editable)
  const { name, channel, archived, content } = record
  return {
    id: templateId,
    ...{ name, channel, archived, content },
    version: revision + 1,
    changedAt: change?.at ?? '',
    changedBy: change?.by ?? '',
    etag,
  }
}
