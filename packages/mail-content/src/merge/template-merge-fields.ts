import { mergeFields, mergeParts, type TemplateContent } from '@tidings/domain'
import { htmlMergeParts } from './html-merge-tags.ts'

/** The keys of the merge tags in any text of a template, sorted, each once. */
export function templateMergeFields({ subject, html, text, body, push }: Omit<TemplateContent, 'fromName'>): readonly string[] {
  const plain = [subject, text, body, push?.title, push?.body, push?.url, push?.icon]
  return mergeFields([...plain.flatMap((one) => mergeParts(one ?? '')), ...htmlMergeParts(html ?? '')])
}
