import type { DeliveryFailure } from '../../port.ts'

export type SmtpCommand = 'MAIL FROM' | 'RCPT TO' | 'DATA'

type Row = Readonly<{
  to: readonly SmtpCommand[]
  /** The reply code. */
  code: RegExp
  /** The enhanced status code (RFC 3463), '' where the server gives none. */
  enhanced?: RegExp
  text?: RegExp
  failure: DeliveryFailure
  /** The receiving side itself asks to retry: after the last try that is a soft bounce. */
  saidByReceiver?: true
}>

const ANY: readonly SmtpCommand[] = ['MAIL FROM', 'RCPT TO', 'DATA']
const AFTER_SENDER: readonly SmtpCommand[] = ['RCPT TO', 'DATA']
const NONE = /^$/

/** Texts of a bare 550 about the relay, its policy, the sender or the mail: those of Exim, of old sendmails and of filters. */
const NOT_THE_RECIPIENT =
  /relay(?:ing)? (?:is )?(?:not permitted|not allowed|access denied|denied)|unable to relay|sender verify failed|administrative prohibition|authentication (?:is )?required|\b(?:spam|virus|malware|dnsbl|rbl|spf|dkim|dmarc|reputation|polic(?:y|ies))\b|(?:block|black|deny)[ -]?list/i

/**
 * What a refusal is about; the first row that fits counts (M27). DATA stands for the answer to the mail as well. Only a refusal about the
 * recipient may suppress a contact, so one that fits no row is not.
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

/** At the start of the text (RFC 2034), some with a `#`, or where qmail puts it: `(#5.1.1)`. */
const ENHANCED = /^\d{3}[ -]#?([245]\.\d{1,3}\.\d{1,3})(?![.\w])|\(#([245]\.\d{1,3}\.\d{1,3})\)/

/** The enhanced status code (RFC 3463) of a server's reply, '' where it gives none. Other digits with dots, as an IP address, are none. */
export function enhancedCodeOf(reply: string): string {
  const found = ENHANCED.exec(reply)
  return found?.[1] ?? found?.[2] ?? ''
}

/** A reply whose command is not known: as one to the mail, where only an enhanced code of the recipient's class is about the recipient (M59). */
export type RefusedAt = SmtpCommand | 'unknown'

type Classified = Readonly<{ failure: DeliveryFailure; saidByReceiver: boolean }>

/** What a server's refusal of a command means. No reply at all is temporary. */
export function classifyRefusal(command: RefusedAt, reply: Readonly<{ code: number; text: string }> | undefined): Classified {
  if (reply === undefined) return { failure: 'temporary', saidByReceiver: false }
  const at = command === 'unknown' ? 'DATA' : command
  const enhanced = enhancedCodeOf(reply.text)
  const row = ROWS.find(
    ({ to, code, enhanced: status, text }) =>
      to.includes(at) && code.test(String(reply.code)) && (status?.test(enhanced) ?? true) && (text?.test(reply.text) ?? true),
  )
  return { failure: row?.failure ?? 'temporary', saidByReceiver: row?.saidByReceiver ?? false }
}
