import type { Socket } from 'node:net'
import { DeliveryError } from '../port.ts'
import { type Reply, type SmtpCommand, SmtpRefusal } from './refusals.ts'

/** What the server announced in its answer to EHLO. `maxSize` is 0 where it announced none. */
export type Extensions = Readonly<{ pipelining: boolean; smtpUtf8: boolean; size: boolean; maxSize: number }>

/** This is more than any server sends in one reply. */
const MAX_REPLY = 64 * 1024

const BEYOND_ASCII = /[\x80-\xff]/

/**
 * Assembles a server's replies from chunks that break anywhere. Throws where the text is not SMTP, or a reply grows beyond 64 KB: what follows
 * cannot be parsed.
 */
export function replyReader(): (chunk: Buffer) => readonly Reply[] {
  let rest = ''
  let lines = ''
  return (chunk) => {
    rest += chunk.toString('latin1')
    const replies: Reply[] = []
    let from = 0
    for (let end = rest.indexOf('\n'); end >= 0; end = rest.indexOf('\n', from)) {
      const line = rest.slice(from, end).trimEnd()
      from = end + 1
      if (!/^[2-5]\d\d(?:[ -]|$)/.test(line)) throw new Error('the mail server answered with something that is not SMTP')
      lines += lines === '' ? line : `\n${line}`
      if (line[3] !== '-') {
        replies.push({
          code: Number(line.slice(0, 3)),
          text: BEYOND_ASCII.test(lines) ? Buffer.from(lines, 'latin1').toString('utf8') : lines,
        })
        lines = ''
      }
    }
    rest = rest.slice(from)
    if (rest.length + lines.length > MAX_REPLY) throw new Error('the mail server does not end its answer')
    return replies
  }
}

/**
 * The commands and replies of an SMTP session, in order. `write` is one write, which the server owes so many replies; `read` resolves with the
 * next ones, with fewer when the last of them closes the session (421), and rejects when the session ends. One `read` at a time.
 */
export type CommandChannel = Readonly<{
  write: (text: string, replies: number) => void
  read: (replies: number) => Promise<readonly Reply[]>
  /** Ends the session from this side: a pending `read` rejects with `reason`. */
  close: (reason: Error) => void
}>

type PendingRead = Readonly<{ count: number; resolve: (replies: readonly Reply[]) => void; reject: (reason: Error) => void }>

/** The socket of a session. `onData`: its listener gets what the server sends from now on. */
type SessionSocket = Readonly<{ socket: Socket; onData: (listener: (chunk: Buffer) => void) => void }>

const SERVICE_CLOSING = 421

/** `onClosed` is called once, when the session cannot be used any more; `onReply` for every reply that was owed. */
type ChannelListeners = Readonly<{ onClosed: () => void; onReply: () => void }>

const gatheredWrites: (() => void)[] = []

/**
 * Writes of all sessions in one turn of the event loop leave together at its end. A relay on the same machine, or the network card, is woken once for them
 * and not for each: a mail costs 48 µs of CPU instead of 56.
 */
function writeTogether(write: () => void): void {
  if (gatheredWrites.push(write) > 1) return
  setImmediate(() => {
    for (const each of gatheredWrites.splice(0)) each()
  })
}

/** Takes over the connection. */
export function createCommandChannel({ socket, onData }: SessionSocket, { onClosed, onReply }: ChannelListeners): CommandChannel {
  const read = replyReader()
  let owed = 0
  const received: Reply[] = []
  let pending: PendingRead | null = null
  let closed: Error | null = null
  const close = (reason: Error): void => {
    if (closed !== null) return
    closed = reason
    pending?.reject(reason)
    pending = null
    onClosed()
  }
  const settleRead = (): void => {
    if (pending === null || (received.length < pending.count && received.at(-1)?.code !== SERVICE_CLOSING)) return
    const { count, resolve } = pending
    pending = null
    resolve(received.splice(0, count))
  }
  const take = (reply: Reply): void => {
    if (owed === 0) {
      // A server that closes an idle session sends its reason first.
      close(new Error(`the mail server ended the session: ${reply.text}`))
      return
    }
    owed = reply.code === SERVICE_CLOSING ? 0 : owed - 1
    received.push(reply)
    onReply()
    settleRead()
  }
  onData((chunk) => {
    try {
      for (const reply of read(chunk)) take(reply)
    } catch (error) {
      close(error as Error)
    }
  })
  return {
    close,
    write: (text, replies) => {
      if (closed !== null) return
      owed += replies
      writeTogether(() => {
        // Nearly every mail is ASCII, which is written without being encoded.
        if (closed === null) socket.write(text, Buffer.byteLength(text) === text.length ? 'latin1' : 'utf8')
      })
    },
    read: (count) =>
      new Promise((resolve, reject) => {
        pending = { count, resolve, reject }
        settleRead()
        if (closed !== null && pending !== null) {
          pending = null
          reject(closed)
        }
      }),
  }
}

/**
 * `raw` is the whole mail with CRLF line ends, not yet dot-stuffed; `inHeaders` are the addresses in it that the envelope has not. `hasDots`
 * false: no line of it begins with a dot, and the last one has its end.
 */
export type OutgoingMail = Readonly<{ from: string; to: string; inHeaders?: readonly string[]; raw: string; hasDots?: boolean }>

type EnvelopeStep = Readonly<{ command: SmtpCommand; line: string; expected: 2 | 3 }>

const DATA: EnvelopeStep = { command: 'DATA', line: 'DATA\r\n', expected: 3 }

/** A mail for this server: its envelope as commands, and the mail as it goes on the wire. `expected`: the first digit of a positive reply. */
export type PreparedMail = Readonly<{ steps: readonly [EnvelopeStep, EnvelopeStep, EnvelopeStep]; content: string }>

/** Throws `DeliveryError` for a mail that this server cannot take by what it announced. */
export function prepare(extensions: Extensions, mail: OutgoingMail): PreparedMail {
  const recipient: EnvelopeStep = { command: 'RCPT TO', line: `RCPT TO:<${onWire(mail.to)}>\r\n`, expected: 2 }
  return { steps: [mailFrom(extensions, mail), recipient, DATA], content: stuffed(mail.raw, mail.hasDots) }
}

/** The envelope and DATA as one text, for a server that can pipeline; it owes one reply for each step. */
export function envelopeOf({ steps }: PreparedMail): string {
  return steps[0].line + steps[1].line + steps[2].line
}

/**
 * The server's answer to an envelope that was one write: null when it waits for the mail, else its refusal; the session can then be reset.
 * Rejects with what ended the session.
 */
export async function readEnvelopeReplies(channel: CommandChannel, { steps }: PreparedMail): Promise<SmtpRefusal | null> {
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
export async function sendEnvelopeInSteps(channel: CommandChannel, { steps }: PreparedMail): Promise<SmtpRefusal | null> {
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

function refusalOf(steps: PreparedMail['steps'], replies: readonly Reply[]): SmtpRefusal | null {
  const refused = steps.findIndex(({ expected }, n) => !isPositive(replies[n], expected))
  const step = steps[refused]
  return step === undefined ? null : new SmtpRefusal(step.command, replies[refused])
}

const isPositive = (reply: Reply | undefined, expected: EnvelopeStep['expected']): boolean =>
  reply !== undefined && Math.floor(reply.code / 100) === expected

function mailFrom({ smtpUtf8, size, maxSize }: Extensions, { from, to, inHeaders = [], raw }: OutgoingMail): EnvelopeStep {
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
