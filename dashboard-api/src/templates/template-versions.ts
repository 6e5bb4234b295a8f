import { type TemplateContent, type TemplateEvent, type TemplateId, templateStream, type WorkspaceId } from '@tidings/domain'
import type { VersionedRecord } from '../editing/versions.ts'

const WHAT = {
  TemplateCreated: 'created',
  TemplateContentChanged: 'changed',
  TemplateArchived: 'archived',
  TemplateRestored: 'restored',
} as const satisfies Record<TemplateEvent['type'], string>

/** Each event of a template is a version. */
export function templateVersions(
  workspaceId: WorkspaceId,
  templateId: TemplateId,
): VersionedRecord<TemplateEvent, (typeof WHAT)[TemplateEvent['type']], TemplateContent> {
  return {
    stream: templateStream(workspaceId, templateId),
    first: 1,
    describe: (event) => ({
      what: WHAT[event.type],
      restoredFrom: event.type === 'TemplateContentChanged' ? event.data.restoredFrom : undefined,
      content: contentIn(event),
    }),
  }
}

const contentIn = (event: TemplateEvent): TemplateContent | null => {
  if (event.type !== 'TemplateCreated' && event.type !== 'TemplateContentChanged') return null
  const { subject, html, text, body, push, fromName } = event.data
  return { subject, html, text, body, push, fromName }
}
