import { basicAuth, type TwilioAccount } from './account.ts'

const DIGITS = /\d{4,}/g
/** A shorter text holds no passcode, and would be found in ordinary words. */
const SHORTEST_TEXT = 8

/** `numbers`: the recipient's, and the sender's where callers know it by a name. */
type Said = Readonly<{ text: string; numbers: readonly string[] }>

/**
 * A server's words without what must be neither stored nor logged, in case it repeats what it was given: the credentials, the text of the
 * message, the numbers, and any run of four or more digits that the text holds, as a passcode is.
 */
export function redact(words: string, account: TwilioAccount, { text, numbers }: Said): string {
  const codes = [...numbers, text.replaceAll(/(?<=\d),? (?=\d)/g, '')].flatMap((one) => [...one.matchAll(DIGITS)].map(([digits]) => digits))
  const spaced = codes.flatMap((code) => [[...code].join(' '), [...code].join(', ')])
  const secrets = [text.length < SHORTEST_TEXT ? '' : text, ...codes, ...spaced, basicAuth(account).slice('Basic '.length), account.token]
  return secrets.filter((secret) => secret !== '').reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), words)
}
