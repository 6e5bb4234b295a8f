import { classifyRefusal, enhancedCodeOf, type RefusedAt } from '@tidings/providers'
import type { Fields } from './header-fields.ts'

/** What a report says about a message, as receipts name it (N171); null: nothing that changes its status. `recipients`: the addresses that it is about. */
export type Reported =
  | Readonly<{ type: 'complained' }>
  | (Readonly<{ recipients: readonly string[] }> &
      (
        | Readonly<{ type: 'delivered' }>
        | Readonly<{ type: 'bounced'; hard: boolean; reason: string }>
        | Readonly<{ type: 'failed'; reason: string }>
      ))
  | null

const REASON = 500

/**
 * What a report of delivery says (RFC 3464), from its blocks of fields; of several recipients the worst. `delayed` is no news, since the relay
 * goes on trying; `relayed` and `expanded` say that no more will be heard. Undefined: it is no such report. `words`: what it says to people.
 */
export function readDeliveryStatus(blocks: readonly Fields[], words: string): Reported | undefined {
  const said = blocks.filter((fields) => fields.has('action')).map((fields) => reportedOf(fields, words))
  return said.length === 0 ? undefined : said.reduce((one, other) => (gravity(other) > gravity(one) ? other : one))
}

const gravity = (reported: Reported): number => {
  if (reported?.type === 'bounced') return reported.hard ? 4 : 3
  return reported === null ? 0 : reported.type === 'failed' ? 2 : 1
}

function reportedOf(fields: Fields, words: string): Reported {
  const action = (fields.get('action') ?? '').trim().toLowerCase()
  if (action === 'delivered') return { type: 'delivered', recipients: recipientsIn(fields) }
  return action === 'failed' ? failureOf(fields, words) : null
}

/** `rfc822; ada@example.com`, the one that the relay was given and the one that it became (RFC 3464 §2.3.1, §2.3.2). */
const ADDRESS = /^\s*(?:rfc822|utf-8)\s*;\s*<?([^\s<>]{1,320}@[^\s<>]{1,320})>?/i

const recipientsIn = (fields: Fields): readonly string[] =>
  ['original-recipient', 'final-recipient'].flatMap((name) => ADDRESS.exec(fields.get(name) ?? '')?.[1] ?? [])

/** `5.1.1`, or `5.1.1 (bad destination mailbox address)`. */
const STATUS = /^\s*([245])\.(\d{1,3}\.\d{1,3})(?!\d)/
/** The answer of the other server, as it was. */
const SMTP = /^\s*smtp\s*;\s*((\d{3})[ -].*)$/is

/**
 * Only a refusal about the recipient is a hard bounce, by the same rules as an answer to our own session (M27): at the stage that the report
 * tells, and where it tells none, by an enhanced code alone (M59). One that is temporary by its code was tried until the relay gave up. The
 * enhanced code of the server's own answer counts before the status, and a status that says nothing (5.0.0) leaves it to the answer.
 */
function failureOf(fields: Fields, words: string): Reported {
  const status = STATUS.exec(fields.get('status') ?? '')
  const [, answer = '', code = ''] = SMTP.exec(fields.get('diagnostic-code') ?? '') ?? []
  const reason = [fields.get('status'), fields.get('diagnostic-code')].filter(Boolean).join(' ').trim().slice(0, REASON)
  const recipients = recipientsIn(fields)
  const says = status !== null && status[2] !== '0.0'
  if (!says && code === '')
    return status?.[1] === '4' ? { type: 'bounced', hard: false, reason, recipients } : { type: 'failed', reason, recipients }
  // What the server itself said comes before what the reporting relay made of it.
  const text = says && enhancedCodeOf(answer) === '' ? `${status[1]}50 ${status[1]}.${status[2]}` : answer
  const { failure } = classifyRefusal(refusedAt(answer, words), { code: Number(text.slice(0, 3)), text })
  if (failure === 'refused') return { type: 'failed', reason, recipients }
  return { type: 'bounced', hard: failure === 'recipient', reason, recipients }
}

/** What a mail server says about an answer: which command it was to. */
const SENTENCES: readonly Readonly<{ at: RefusedAt; says: RegExp }>[] = [
  // Postfix: "(in reply to RCPT TO command)", also DATA and "end of DATA".
  { at: 'RCPT TO', says: /in reply to RCPT TO command/i },
  { at: 'MAIL FROM', says: /in reply to MAIL FROM command/i },
  { at: 'DATA', says: /in reply to (?:end of )?DATA command/i },
  // Exim: "SMTP error from remote mail server after RCPT TO:<ada@example.com>", also "end of data" and, pipelined, "pipelined end of data".
  { at: 'RCPT TO', says: /error from remote (?:mail server|mailer) after (?:pipelined )?RCPT TO/i },
  { at: 'MAIL FROM', says: /error from remote (?:mail server|mailer) after (?:pipelined )?MAIL FROM/i },
  { at: 'DATA', says: /error from remote (?:mail server|mailer) after (?:pipelined )?(?:end of data|DATA)/i },
  // sendmail: its side of the session, before the answer.
  { at: 'RCPT TO', says: /^>>> RCPT TO:/im },
  { at: 'MAIL FROM', says: /^>>> MAIL FROM:/im },
  { at: 'DATA', says: /^>>> DATA\s*$/im },
  // qmail.
  { at: 'RCPT TO', says: /does not like recipient\./i },
  { at: 'MAIL FROM', says: /but sender was rejected\./i },
  { at: 'DATA', says: /failed (?:on DATA command|after I sent the message)\./i },
]

/** This is far more than a mail server writes before its fields. */
const MAX_TEXT = 16_384

/** The command that was refused, as a report tells it in words; unknown where it tells none, or several. */
function refusedAt(...texts: readonly (string | undefined)[]): RefusedAt {
  const words = texts.map((text) => (text ?? '').slice(0, MAX_TEXT)).join('\n')
  const stages = new Set(SENTENCES.filter(({ says }) => says.test(words)).map(({ at }) => at))
  const [only] = stages
  return stages.size === 1 && only !== undefined ? only : 'unknown'
}
