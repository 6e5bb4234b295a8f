import { DeliveryError, type DeliveryFailure } from '../port.ts'
import { Throttled } from '../throttle/throttled.ts'

export type SmtpCommand = 'MAIL FROM' | 'RCPT TO' | 'DATA'

/** One reply of an SMTP server (RFC 5321 §4.2): its code, and its lines as they came. */
export type Reply = Readonly<{ code: number; text: string }>

type RefusalRule = Readonly<{
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
 * What a refusal is about; the first rule that fits counts (M27). DATA stands for the answer to the mail as well. Only a refusal about the
 * recipient may suppress a contact, so one that fits no rule is not.
 */
const RULES: readonly RefusalRule[] = [
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
export function classifyRefusal(command: RefusedAt, reply: Reply | undefined): Classified {
  if (reply === undefined) return { failure: 'temporary', saidByReceiver: false }
  const at = command === 'unknown' ? 'DATA' : command
  const enhanced = enhancedCodeOf(reply.text)
  const rule = RULES.find(
    ({ to, code, enhanced: status, text }) =>
      to.includes(at) && code.test(String(reply.code)) && (status?.test(enhanced) ?? true) && (text?.test(reply.text) ?? true),
  )
  return { failure: rule?.failure ?? 'temporary', saidByReceiver: rule?.saidByReceiver ?? false }
}

const THROTTLING_CODES = [421, 450, 451, 452, 454]
/**
 * What servers say to a sender that is too fast: Amazon SES ("454 Throttling failure: Maximum sending rate exceeded", "Daily message quota
 * exceeded"), Postfix ("450 4.7.1 Error: too much mail from", "421 4.7.0 Error: too many connections"), Exchange ("451 4.7.500 Server busy",
 * "4.7.650 … rate limited"), Gmail ("4.7.28 … unusual rate", "4.2.1 … too quickly"), Sendmail ("connection rate limit exceeded").
 */
const TOO_FAST =
  /throttl|rate[ -]limit|ratelimit|too (?:many|much|fast|quickly|frequent)|(?:quota|limit)s? (?:is |was |has been )?(?:exceeded|reached)|exceed\w* (?:\w+ ){0,4}(?:quota|limit)|slow down|server busy/i
const RATE = /(?:^|[^a-z])rates?(?:[^a-z]|$)/i
/** The codes by which Gmail and Exchange say so, without further words. */
const BY_CODE = /^\d{3}[ -]4\.7\.(?:28|500|650)(?!\d)/
/** A policy that is not named (RFC 3463 §3.8): it may be the rate, or something that no waiting changes. */
const BY_POLICY = /^\d{3}[ -]4\.7\.0(?!\d)/
/** The mailbox's or the receiving server's own reasons for one recipient. */
const OF_RECIPIENT = /gr[ae]y-?list|^\d{3}[ -]4\.(?:[12]\.|5\.3)|mailbox|(?:user|recipient|inbox)\b.*(?:too|rate|limit)/i

/**
 * Whether a refusal says that this sender is too fast, and of whom it says so: of all that it sends, or, in the answer to RCPT, of that
 * recipient. So is one by policy that does not say which: what it refuses is tried a bounded number of times. Null where it is about something else,
 * such as greylisting.
 */
export function throttledBy(command: SmtpCommand, reply: Reply | undefined): 'sender' | 'recipient' | null {
  if (reply === undefined || !THROTTLING_CODES.includes(reply.code) || OF_RECIPIENT.test(reply.text)) return null
  if (command === 'RCPT TO') return isTooFast(reply.text) ? 'recipient' : null
  if (isTooFast(reply.text) || BY_CODE.test(reply.text)) return 'sender'
  return BY_POLICY.test(reply.text) ? 'recipient' : null
}

const isTooFast = (text: string): boolean => TOO_FAST.test(text) || RATE.test(text)

/** The server's refusal of one step of a transaction. Without a reply it closed the session before it answered that step. */
export class SmtpRefusal extends Error {
  override readonly name = 'SmtpRefusal'
  readonly command: SmtpCommand
  readonly reply: Reply | undefined
  constructor(command: SmtpCommand, reply: Reply | undefined) {
    super(`the mail server answered ${command} with ${reply?.text ?? 'nothing'}`)
    this.command = command
    this.reply = reply
  }
}

/** What ended a transaction, as a failure of the mail. Anything but a reply is the connection: temporary. */
export function deliveryError(error: Error): DeliveryError {
  if (error instanceof DeliveryError) return error
  if (!(error instanceof SmtpRefusal)) return new DeliveryError('temporary', error.message)
  const { failure, saidByReceiver } = classifyRefusal(error.command, error.reply)
  const details = { response: error.reply?.text ?? null, saidByReceiver }
  const about = throttledBy(error.command, error.reply)
  return about === null ? new DeliveryError(failure, error.message, details) : new Throttled(error.message, { ...details, about })
}

/** True when the session is still usable after the failure: the server answered, and did not close the session (421). */
export function sessionSurvives(error: unknown): boolean {
  return error instanceof SmtpRefusal && (error.reply?.code ?? 0) >= 400 && error.reply?.code !== 421
}
