import { mergeParts, unresolvableTag } from '@tidings/domain'
import { htmlMergeParts } from './html-merge-tags.ts'

type TemplateText = Readonly<{ field: string; text: string | null | undefined }>

/** What is wrong with a text of a template whose reader would see braces (M52), as a sentence that begins with the name of its field; else null. */
export function wrongMergeTag({ field, text }: TemplateText): string | null {
  const tag = unresolvableTag((field.endsWith('html') ? htmlMergeParts : mergeParts)(text ?? ''))
  return tag && `${field}: "${tag}" is no merge tag and would be sent as it is: write {{key}} or {{key|fallback}} on one line`
}
