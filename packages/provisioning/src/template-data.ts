import type { TemplateCreated, TemplateId } from '@tidings/domain'
import type { TemplateOfFile } from './workspace-file/schema.ts'

const nothing = { subject: null, html: null, text: null, body: null, push: null }

const contentOf = (file: TemplateOfFile) => {
  switch (file.channel) {
    case 'email':
      return { subject: file.subject, html: file.html, text: file.text ?? null }
    case 'sms':
      return { body: file.body }
    case 'push':
      return { push: { title: file.push.title, body: file.push.body, url: file.push.url ?? null, icon: file.push.icon ?? null } }
    default:
      return file satisfies never
  }
}

/** A template of the file as the domain stores it: what its channel does not use is null. */
export function templateData(templateId: TemplateId, file: TemplateOfFile): TemplateCreated['data'] {
  return {
    templateId,
    name: file.name,
    channel: file.channel,
    archived: file.archived ?? false,
    ...nothing,
    fromName: file.fromName ?? null,
    ...contentOf(file),
  }
}
