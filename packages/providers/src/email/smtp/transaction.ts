import { DeliveryError } from '../port.ts'
import type { Dialogue } from './dialogue.ts'
import { SmtpRefusal } from './failure.ts'
import type { SmtpCommand } from './refusals.ts'
import type { Reply } from './reply-reader.ts'

/** What the server said it can do, in its answer to EHLO. `maxSize` is 0 where it named none. */
export type Extensions = Readonly<{ pipelining: boolean; smtpUtf8: boolean; size: boolean; maxSize: number }>

/** `raw` is the whole mail with CRLF line ends, not yet dot-stuffed; `replyTo` stands in its headers. */
export type OutgoingMail = Readonly<{ from: string; to: string; replyTo?: string | null; raw: string }>

type Step = Readonly<{ command: SmtpCommand; line: string; yes: 2 | 3 }>

const DATA: Step = { command: 'DATA', line: 'DATA\r\n', yes: 3 }

/** A mail that this server may be asked to take: its envelope as commands, and the mail as it goes on the wire. */
export type Prepared = Readonly<{ steps: readonly [Step, Step, Step]; content: string }>

/** Throws `DeliveryError` for a mail that this server has already said it will not take. */
export function prepare(extensions: Extensions, mail: OutgoingMail): Prepared {
  const recipient: Step = { command: 'RCPT TO', line: `RCPT TO:<${onWire(mail.to)}>\r\n`, yes: 2 }
  return { steps: [mailFrom(extensions, mail), recipient, DATA], content: stuffed(mail.raw) }
}

/** The envelope and DATA as one text, for a server that can pipeline; it owes as many answers as there are steps. */
export const envelopeOf = ({ steps }: Prepared): string => steps[0].line + steps[1].line + steps[2].line

/**
 * What the server says to an envelope that it was given as one text: null when it waits for the mail, else its refusal, after which the
 * session stands where it stood before. Rejects with what ended the session.
 */
export async function hearEnvelope(dialogue: Dialogue, { steps }: Prepared): Promise<SmtpRefusal | null> {
  const replies = await dialogue.hear(steps.length)
  const refusal = refusalOf(steps, replies)
  if (refusal !== null && replies[2]?.code === 354) {
    // It refused the envelope and waits for the mail all the same: an empty one, which goes to nobody, ends that (RFC 2920 §3.1).
    dialogue.say('.\r\n', 1)
    await dialogue.hear(1)
  }
  return refusal
}

/** The same, one command after the other. */
export async function askEnvelope(dialogue: Dialogue, { steps }: Prepared): Promise<SmtpRefusal | null> {
  const replies: Reply[] = []
  for (const step of steps) {
    dialogue.say(step.line, 1)
    replies.push(...(await dialogue.hear(1)))
    if (!isYes(replies.at(-1), step.yes)) break
  }
  return refusalOf(steps, replies)
}

/** What the server says to the mail itself: null when it has taken it. Either way the transaction is over (RFC 5321 §4.1.1.4). */
export async function hearContent(dialogue: Dialogue): Promise<SmtpRefusal | null> {
  const [reply] = await dialogue.hear(1)
  return isYes(reply, 2) ? null : new SmtpRefusal('DATA', reply)
}

/** Drops what a refused envelope may have left; false when the server will not. */
export async function reset(dialogue: Dialogue): Promise<boolean> {
  dialogue.say('RSET\r\n', 1)
  const [reply] = await dialogue.hear(1)
  return isYes(reply, 2)
}

function refusalOf(steps: Prepared['steps'], replies: readonly Reply[]): SmtpRefusal | null {
  const refused = steps.findIndex(({ yes }, n) => !isYes(replies[n], yes))
  const step = steps[refused]
  return step === undefined ? null : new SmtpRefusal(step.command, replies[refused])
}

const isYes = (reply: Reply | undefined, yes: Step['yes']): boolean => reply !== undefined && Math.floor(reply.code / 100) === yes

function mailFrom({ smtpUtf8, size, maxSize }: Extensions, { from, to, replyTo, raw }: OutgoingMail): Step {
  const bytes = size || maxSize > 0 ? Buffer.byteLength(raw) : 0
  if (maxSize > 0 && bytes > maxSize)
    throw new DeliveryError('refused', `the mail has ${bytes} bytes, and the mail server takes ${maxSize}`)
  // An address is the only part of a header of ours that can be beyond ASCII, and then the whole mail is international (RFC 6532).
  const international = !isAscii(from) || !isAscii(to) || !isAscii(replyTo ?? '')
  if (international && !smtpUtf8)
    throw new DeliveryError('refused', 'the mail server takes no address beyond ASCII (it does not announce SMTPUTF8)')
  const parameters = (size ? ` SIZE=${bytes}` : '') + (international ? ' BODY=8BITMIME SMTPUTF8' : '')
  return { command: 'MAIL FROM', line: `MAIL FROM:<${onWire(from)}>${parameters}\r\n`, yes: 2 }
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The last gate before the wire: nothing in an address may end its command. */
function onWire(address: string): string {
  if (/[\s<>\p{Cc}]/u.test(address)) throw new DeliveryError('refused', 'an address cannot be put on the wire')
  return address
}

/** Dot-stuffed and ended (RFC 5321 §4.5.2). Mails of ours hardly ever have a line that begins with a dot: one search tells. */
export function stuffed(raw: string): string {
  const ended = raw.endsWith('\r\n') ? raw : `${raw}\r\n`
  const inside = ended.includes('\r\n.') ? ended.replaceAll('\r\n.', '\r\n..') : ended
  return `${inside.startsWith('.') ? '.' : ''}${inside}.\r\n`
}
