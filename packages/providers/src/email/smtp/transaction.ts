import { DeliveryError } from '../../port.ts'
import type { CommandChannel } from './command-channel.ts'
import { SmtpRefusal } from './failure.ts'
import type { Extensions } from './nodemailer-connection.ts'
import type { SmtpCommand } from './refusals.ts'
import type { Reply } from './reply-reader.ts'

/**
 * `raw` is the whole mail with CRLF line ends, not yet dot-stuffed; `inHeaders` are the addresses in it that the envelope has not. `hasDots`
 * false: no line of it begins with a dot, and the last one has its end.
 */
export type OutgoingMail = Readonly<{ from: string; to: string; inHeaders?: readonly string[]; raw: string; hasDots?: boolean }>

type Step = Readonly<{ command: SmtpCommand; line: string; expected: 2 | 3 }>

const DATA: Step = { command: 'DATA', line: 'DATA\r\n', expected: 3 }

/** A mail for this server: its envelope as commands, and the mail as it goes on the wire. `expected`: the first digit of a positive reply. */
export type Prepared = Readonly<{ steps: readonly [Step, Step, Step]; content: string }>

/** Throws `DeliveryError` for a mail that this server cannot take by what it announced. */
export function prepare(extensions: Extensions, mail: OutgoingMail): Prepared {
  const recipient: Step = { command: 'RCPT TO', line: `RCPT TO:<${onWire(mail.to)}>\r\n`, expected: 2 }
  return { steps: [mailFrom(extensions, mail), recipient, DATA], content: stuffed(mail.raw, mail.hasDots) }
}

/** The envelope and DATA as one text, for a server that can pipeline; it owes one reply for each step. */
export function envelopeOf({ steps }: Prepared): string {
  return steps[0].line + steps[1].line + steps[2].line
}

/**
 * The server's answer to an envelope that was one write: null when it waits for the mail, else its refusal; the session can then be reset.
 * Rejects with what ended the session.
 */
export async function readEnvelopeReplies(channel: CommandChannel, { steps }: Prepared): Promise<SmtpRefusal | null> {
  const replies = await channel.read(steps.length)
  const refusal = refusalOf(steps, replies)
  if (refusal !== null && replies[2]?.code === 354) {
    // It refused the envelope and waits for the mail all the same: an empty one, which has no recipient, ends that (RFC 2920 §3.1).
    channel.write('.\r\n', 1)
    await channel.read(1)
  }
  return refusal
}

/** Sends the envelope one command after the other; the same result. */
export async function sendEnvelopeInSteps(channel: CommandChannel, { steps }: Prepared): Promise<SmtpRefusal | null> {
  const replies: Reply[] = []
  for (const step of steps) {
    channel.write(step.line, 1)
    replies.push(...(await channel.read(1)))
    if (!isPositive(replies.at(-1), step.expected)) break
  }
  return refusalOf(steps, replies)
}

/** The server's answer to the mail itself: its words when it has taken it. Either way the transaction is over (RFC 5321 §4.1.1.4). */
export async function readContentReply(channel: CommandChannel): Promise<SmtpRefusal | string> {
  const [reply] = await channel.read(1)
  return reply !== undefined && isPositive(reply, 2) ? reply.text : new SmtpRefusal('DATA', reply)
}

/** Clears what is left of a refused envelope; false when the server refuses. */
export async function reset(channel: CommandChannel): Promise<boolean> {
  channel.write('RSET\r\n', 1)
  const [reply] = await channel.read(1)
  return isPositive(reply, 2)
}

function refusalOf(steps: Prepared['steps'], replies: readonly Reply[]): SmtpRefusal | null {
  const refused = steps.findIndex(({ expected }, n) => !isPositive(replies[n], expected))
  const step = steps[refused]
  return step === undefined ? null : new SmtpRefusal(step.command, replies[refused])
}

const isPositive = (reply: Reply | undefined, expected: Step['expected']): boolean =>
  reply !== undefined && Math.floor(reply.code / 100) === expected

function mailFrom({ smtpUtf8, size, maxSize }: Extensions, { from, to, inHeaders = [], raw }: OutgoingMail): Step {
  const bytes = size || maxSize > 0 ? Buffer.byteLength(raw) : 0
  if (maxSize > 0 && bytes > maxSize)
    throw new DeliveryError('refused', `the mail has ${bytes} bytes, and the mail server takes ${maxSize}`)
  // Only an address can bring characters beyond ASCII into our headers, and then the whole mail is international (RFC 6532).
  const international = ![from, to, ...inHeaders].every(isAscii)
  if (international && !smtpUtf8)
    throw new DeliveryError('refused', 'the mail server takes no address beyond ASCII (it does not announce SMTPUTF8)')
  const parameters = (size ? ` SIZE=${bytes}` : '') + (international ? ' BODY=8BITMIME SMTPUTF8' : '')
  return { command: 'MAIL FROM', line: `MAIL FROM:<${onWire(from)}>${parameters}\r\n`, expected: 2 }
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The last check before the wire: nothing in an address may end its command. */
function onWire(address: string): string {
  if (/[\s<>\p{Cc}]/u.test(address)) throw new DeliveryError('refused', 'an address cannot be put on the wire')
  return address
}

/**
 * Dot-stuffed and ended (RFC 5321 §4.5.2). Our mails hardly ever have a line that begins with a dot, and who built one knows: then it is not
 * put together for a search, only once for the write.
 */
export function stuffed(raw: string, hasDots = true): string {
  if (!hasDots) return `${raw}.\r\n`
  const ended = raw.endsWith('\r\n') ? raw : `${raw}\r\n`
  const inside = ended.includes('\r\n.') ? ended.replaceAll('\r\n.', '\r\n..') : ended
  return `${inside.startsWith('.') ? '.' : ''}${inside}.\r\n`
}
