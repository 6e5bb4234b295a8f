import type { RefusedAt } from '@tidings/providers'

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
export function refusedAt(...texts: readonly (string | undefined)[]): RefusedAt {
  const words = texts.map((text) => (text ?? '').slice(0, MAX_TEXT)).join('\n')
  const stages = new Set(SENTENCES.filter(({ says }) => says.test(words)).map(({ at }) => at))
  const [only] = stages
  return stages.size === 1 && only !== undefined ? only : 'unknown'
}
