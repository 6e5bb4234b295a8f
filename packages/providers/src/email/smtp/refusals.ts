import type { DeliveryFailure } from '../port.ts'

export type SmtpCommand = 'MAIL FROM' | 'RCPT TO' | 'DATA'

type Row = Readonly<{
  to: readonly SmtpCommand[]
  /** The reply code. */
  code: RegExp
  /** The enhanced status code (RFC 3463), '' where the server gives none. */
  enhanced?: RegExp
  text?: RegExp
  failure: DeliveryFailure
  /** The receiving side itself said "later": after the last try that is a soft bounce. */
  saidByReceiver?: true
}>

const ANY: readonly SmtpCommand[] = ['MAIL FROM', 'RCPT TO', 'DATA']
const AFTER_SENDER: readonly SmtpCommand[] = ['RCPT TO', 'DATA']
const NONE = /^$/

/** Said with a bare 550 where the relay means itself, its policy or the sender: Exim's own texts and those of old sendmails. */
const NOT_THE_RECIPIENT =
  /relay(?:ing)? (?:is )?(?:not permitted|not allowed|access denied|denied)|unable to relay|sender verify failed|administrative prohibition|authentication (?:is )?required/i

/**
 * Whose fault a refusal is; the first row that fits counts (M27). DATA is the answer to the mail as well. Only what is about
 * the recipient may cost somebody a consent, so whatever fits no row is not.
 */
const ROWS: readonly Row[] = [
  { to: ['MAIL FROM'], code: /^4/, failure: 'temporary' },
  { to: AFTER_SENDER, code: /^4/, failure: 'temporary', saidByReceiver: true },
  { to: AFTER_SENDER, code: /^5/, enhanced: /^\d\.2\.2$/, failure: 'temporary', saidByReceiver: true }, // mailbox full
  { to: AFTER_SENDER, code: /^5/, enhanced: /^\d\.(?:1\.(?:1|2|3|6|10)|2\.1)$/, failure: 'recipient' },
  { to: ['RCPT TO'], code: /^5/, enhanced: NONE, text: NOT_THE_RECIPIENT, failure: 'refused' },
  { to: ['RCPT TO'], code: /^55[013]$/, enhanced: NONE, failure: 'recipient' },
  { to: ANY, code: /^5/, failure: 'refused' },
]

/** At the start of the text (RFC 2034), or where qmail puts it: `(#5.1.1)`. */
const ENHANCED = /^\d{3}[ -]([245]\.\d{1,3}\.\d{1,3})(?!\S)|\(#([245]\.\d{1,3}\.\d{1,3})\)/

export type Verdict = Readonly<{ failure: DeliveryFailure; saidByReceiver: boolean }>

/** What a server's no to a command means. What is no answer at all may pass. */
export function verdictOn(command: SmtpCommand, reply: Readonly<{ code: number; text: string }> | undefined): Verdict {
  if (reply === undefined) return { failure: 'temporary', saidByReceiver: false }
  const found = ENHANCED.exec(reply.text)
  const enhanced = found?.[1] ?? found?.[2] ?? ''
  const row = ROWS.find(
    ({ to, code, enhanced: status, text }) =>
      to.includes(command) && code.test(String(reply.code)) && (status?.test(enhanced) ?? true) && (text?.test(reply.text) ?? true),
  )
  return { failure: row?.failure ?? 'temporary', saidByReceiver: row?.saidByReceiver ?? false }
}
