import type { SmtpCommand } from './refusals.ts'

const CODES = [421, 450, 451, 452, 454]
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
export function throttledBy(
  command: SmtpCommand,
  reply: Readonly<{ code: number; text: string }> | undefined,
): 'sender' | 'recipient' | null {
  if (reply === undefined || !CODES.includes(reply.code) || OF_RECIPIENT.test(reply.text)) return null
  if (command === 'RCPT TO') return isTooFast(reply.text) ? 'recipient' : null
  if (isTooFast(reply.text) || BY_CODE.test(reply.text)) return 'sender'
  return BY_POLICY.test(reply.text) ? 'recipient' : null
}

const isTooFast = (text: string): boolean => TOO_FAST.test(text) || RATE.test(text)
