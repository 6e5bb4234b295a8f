import { DeliveryError } from '../port.ts'
import type { Dialogue } from './dialogue.ts'
import { type SmtpCommand, SmtpRefusal } from './failure.ts'
import type { Reply } from './reply-reader.ts'

/** What the server said it can do, in its answer to EHLO. `maxSize` is 0 where it named none. */
export type Extensions = Readonly<{ pipelining: boolean; smtpUtf8: boolean; size: boolean; maxSize: number }>

/** `raw` is the whole mail with CRLF line ends, not yet dot-stuffed. */
export type OutgoingMail = Readonly<{ from: string; to: string; raw: Buffer }>

type Step = Readonly<{ command: SmtpCommand; line: string; yes: 2 | 3 }>

const DATA: Step = { command: 'DATA', line: 'DATA\r\n', yes: 3 }

/** A mail that this server may be asked to take: its envelope as commands, and its bytes as they go on the wire. */
export type Prepared = Readonly<{ steps: readonly [Step, Step, Step]; content: Buffer }>

/** Throws `DeliveryError` for a mail that this server has already said it will not take. */
export function prepare(extensions: Extensions, mail: OutgoingMail): Prepared {
  const recipient: Step = { command: 'RCPT TO', line: `RCPT TO:<${onWire(mail.to)}>\r\n`, yes: 2 }
  return { steps: [mailFrom(extensions, mail), recipient, DATA], content: stuffed(mail.raw) }
}

/**
 * One mail over an idle session (RFC 5321 §3.3). Where the server can pipeline (RFC 2920), the envelope and DATA are one write, so a mail
 * takes two round trips and two writes instead of four; the mail itself is written only when all three were granted.
 * `leaving` is called right before that. Throws `SmtpRefusal`, or what ended the session.
 */
export async function transact(dialogue: Dialogue, pipelining: boolean, { steps, content }: Prepared, leaving: () => void): Promise<void> {
  const replies = await (pipelining ? askAtOnce : askInTurn)(dialogue, steps)
  const refused = steps.findIndex((step, n) => !isYes(replies[n], step))
  const at = steps[refused]
  if (at !== undefined) {
    if (replies[2]?.code === 354) await sendNothing(dialogue)
    throw new SmtpRefusal(at.command, replies[refused])
  }
  leaving()
  const [reply] = await dialogue.ask(content, 1)
  if (!isYes(reply, { yes: 2 })) throw new SmtpRefusal('DATA', reply)
}

/**
 * The server refused the envelope and waits for the mail all the same: an empty one, which goes to nobody, ends that (RFC 2920 §3.1).
 * When it fails, so will the reset that follows.
 */
const sendNothing = (dialogue: Dialogue): Promise<unknown> => dialogue.ask('.\r\n', 1).catch(() => undefined)

/** Drops what a refused transaction may have left; false when the server will not. */
export async function reset(dialogue: Dialogue): Promise<boolean> {
  const [reply] = await dialogue.ask('RSET\r\n', 1)
  return isYes(reply, { yes: 2 })
}

const askAtOnce = (dialogue: Dialogue, steps: readonly Step[]): Promise<readonly Reply[]> =>
  dialogue.ask(steps.map(({ line }) => line).join(''), steps.length)

async function askInTurn(dialogue: Dialogue, steps: readonly Step[]): Promise<readonly Reply[]> {
  const replies: Reply[] = []
  for (const step of steps) {
    replies.push(...(await dialogue.ask(step.line, 1)))
    if (!isYes(replies.at(-1), step)) break
  }
  return replies
}

const isYes = (reply: Reply | undefined, step: Pick<Step, 'yes'> | undefined): boolean =>
  reply !== undefined && Math.floor(reply.code / 100) === step?.yes

function mailFrom({ smtpUtf8, size, maxSize }: Extensions, { from, to, raw }: OutgoingMail): Step {
  if (maxSize > 0 && raw.length > maxSize)
    throw new DeliveryError('refused', `the mail has ${raw.length} bytes, and the mail server takes ${maxSize}`)
  const international = !isAscii(from) || !isAscii(to)
  if (international && !smtpUtf8)
    throw new DeliveryError('refused', 'the mail server takes no address beyond ASCII (it does not announce SMTPUTF8)')
  const parameters = (size ? ` SIZE=${raw.length}` : '') + (international ? ' BODY=8BITMIME SMTPUTF8' : '')
  return { command: 'MAIL FROM', line: `MAIL FROM:<${onWire(from)}>${parameters}\r\n`, yes: 2 }
}

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text)

/** The last gate before the wire: nothing in an address may end its command. */
function onWire(address: string): string {
  if (/[\s<>\p{Cc}]/u.test(address)) throw new DeliveryError('refused', 'an address cannot be put on the wire')
  return address
}

const DOT = 46
const DOT_LINE = Buffer.from('\r\n.')
const END = Buffer.from('\r\n.\r\n')
const ENDS_LINE = Buffer.from('\r\n')

/** Dot-stuffed and ended (RFC 5321 §4.5.2), as one buffer. Mails of ours hardly ever have a line that begins with a dot: one search tells. */
export function stuffed(raw: Buffer): Buffer {
  const end = raw.subarray(-2).equals(ENDS_LINE) ? END.subarray(2) : END
  const parts: Buffer[] = raw[0] === DOT ? [DOT_LINE.subarray(2)] : []
  let from = 0
  for (let at = raw.indexOf(DOT_LINE); at >= 0; at = raw.indexOf(DOT_LINE, from)) {
    parts.push(raw.subarray(from, at + DOT_LINE.length), DOT_LINE.subarray(2))
    from = at + DOT_LINE.length
  }
  return Buffer.concat([...parts, raw.subarray(from), end])
}
