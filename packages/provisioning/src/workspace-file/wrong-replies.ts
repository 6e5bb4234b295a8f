import { keywordForm, smsKeyword } from '@tidings/domain'
import type { WorkspaceFile } from './schema.ts'

/** Answers that are keywords themselves, as two services that answer each other would never end; words that cannot mean STOP. */
export function* wrongReplies({ smsReplies = {}, stopWords = [] }: WorkspaceFile): Iterable<string> {
  for (const [keyword, text] of Object.entries(smsReplies))
    if (smsKeyword(text, stopWords) !== null)
      yield `smsReplies.${keyword}: "${text.trim()}" is a keyword itself, which the other side may answer`
  for (const [i, word] of stopWords.entries()) {
    if (keywordForm(word) === '') yield `stopWords[${i}]: "${word}" has no letter or digit`
    const means = smsKeyword(word)
    if (means === 'start' || means === 'help') yield `stopWords[${i}]: "${word}" is a keyword that means ${means.toUpperCase()}`
  }
}
