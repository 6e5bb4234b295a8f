import { smsKeyword } from '@tidings/domain'
import type { WorkspaceFile } from './schema.ts'

/** Answers that are keywords themselves: two services that answer each other would never end. */
export function* wrongReplies({ smsReplies = {} }: WorkspaceFile): Iterable<string> {
  for (const [keyword, text] of Object.entries(smsReplies))
    if (smsKeyword(text) !== null) yield `smsReplies.${keyword}: "${text.trim()}" is a keyword itself, which the other side may answer`
}
