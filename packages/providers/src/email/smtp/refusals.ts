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

/**
 * Texts of a bare 550 about the relay, its policy, the sender or the mail: those of Exim, of old sendmails, of filters and of lists of senders.
 * `blocked` alone may be a mailbox; `blocked by`, `using`, `because` or `for`, and a host that is blocked, are not.
 */
const NOT_THE_RECIPIENT = new RegExp(
  [
    /relay(?:ing)? (?:is )?(?:not permitted|not allowed|prohibited|access denied|denied)|unable to relay|we do not relay/,
    /sender (?:verify failed|address (?:rejected|blocked)|(?:is )?(?:rejected|blocked|not allowed|denied))|administrative prohibition|authentication (?:is )?required/,
    /\b(?:spam|spammers?|virus|malware|phishing|dnsbl|rbl|dnswl|spf|dkim|dmarc|ptr|rdns|reverse dns|helo|ehlo|reputation|polic(?:y|ies)|abuse|bulk)\b/,
    /(?:block|black|deny|allow|white|reputation)[ -]?list|\blisted (?:by|in|on|at)\b|\bcbl\b|\bsbl\b|\bpbl\b|\bxbl\b/,
    /spam(?:haus|cop|rats|assassin)|barracuda|sorbs|uceprotect|proofpoint|mimecast|senderbase|senderscore|cloudmark|invaluement|abuseat|mailspike|psbl|surriel/,
    /\b(?:blocked|rejected|denied|refused|banned) (?:by|using|because|due|for|via|from)\b|\b(?:ip|ip address|host|server|client|network|connection|sender|domain|mail server|message)s? (?:\[?[\d.:a-f]+\]? )?(?:\S+ )?(?:is |was |has been |are |been )?(?:temporarily |currently )?(?:blocked|banned|denied|refused|blacklisted)\b/,
    /(?:your|client|sending) (?:ip|host|server|network|domain|mail ?server|email)\b|messages? from \[?\d|mail from \[?\d/,
    /(?:content|message) (?:was |has been |is )?(?:rejected|refused|blocked|denied)|https?:\/\/\S*(?:block|lookup|sender|postmaster|removal|delist|reputation)/,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'i',
)

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

/** The enhanced code at the start of the text (RFC 2034), sometimes with a `#`, or where qmail puts it: `(#5.1.1)`. */
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
