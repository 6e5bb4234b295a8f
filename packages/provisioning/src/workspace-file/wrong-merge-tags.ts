import { mergeParts, unresolvableTag } from '@tidings/domain'
import { htmlMergeParts } from '@tidings/mail-content'
import type { TemplateOfFile, WorkspaceFile } from './schema.ts'

/** The texts of a template by their path below it. */
const textsOf = (template: TemplateOfFile): readonly (readonly [string, string | undefined])[] => {
  if (template.channel === 'sms') return [['body', template.body]]
  if (template.channel === 'push') return Object.entries(template.push).map(([field, text]) => [`push.${field}`, text])
  const { subject, html, text, fromName } = template
  return [
    ['subject', subject],
    ['html', html],
    ['text', text],
    ['fromName', fromName],
  ]
}

/** Merge tags that can never resolve: its reader would see the braces (M52). */
export function* wrongMergeTags({ templates = [] }: Pick<WorkspaceFile, 'templates'>): Iterable<string> {
  for (const [i, template] of templates.entries())
    for (const [field, text] of textsOf(template)) {
      const tag = unresolvableTag((field === 'html' ? htmlMergeParts : mergeParts)(text ?? ''))
      if (tag !== null)
        yield `templates[${i}].${field}: "${tag}" is no merge tag and would be sent as it is: write {{key}} or {{key|fallback}} on one line`
    }
}
