/**
 * A message that a provider took: by what name, and what it said to it, where it said anything. `provider`: its label, where it is one of those that a
 * setting names.
 */
export type TakenMessage = Readonly<{ providerMessageId: string; response?: string; provider?: string }>

const MAX_RESPONSE = 250
/** An address may be the recipient's, also with a wide sign, or as it stands in a link. */
const ADDRESS = /\S*(?:[@\uff20\ufe6b]|%40)\S*/giu

/** Words of ASCII without an address, a blank between two: what nearly every provider says, and what stays as it is. */
const IN_CLEAR = /^[!-$&-?A-~]+(?: [!-$&-?A-~]+)*$/

/** The answer of a provider in one line, as it is kept, sealed: bounded, without control characters, and without an address. */
export function answerInClear(text: string): string {
  if (text.length <= MAX_RESPONSE && IN_CLEAR.test(text)) return text
  // Cut first: an answer may have 64 KB.
  const line = text
    .slice(0, 2 * MAX_RESPONSE)
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(ADDRESS, '…')
    .replace(/ {2,}/g, ' ')
    .trim()
    .toWellFormed()
  return [...line].slice(0, MAX_RESPONSE).join('')
}
