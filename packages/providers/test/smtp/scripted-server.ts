import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'

/** An answer that is never sent, nor is any after it. */
export const SILENCE = 'silence'

/** Answers a line, a mail (its bytes as they came, with the final dot) at once or later, or closes the connection (`null`). */
export type Script = Readonly<{
  extensions?: readonly string[]
  greeting?: (connection: number) => string
  answer?: (line: string, connection: number) => string | null | undefined
  mail?: (bytes: string, connection: number) => string | null | undefined | Promise<string>
}>

/** `lines`: every command but EHLO and QUIT, in order. `writes`: the same as they came, one entry a write of the client. */
export type ScriptedServer = Readonly<{ url: string; lines: string[]; writes: string[]; mails: string[]; stop: () => Promise<void> }>

const DEFAULTS: Readonly<Record<string, string>> = { DATA: '354 go on', QUIT: '221 bye' }

/** An SMTP server that answers what a test wants, also what no good server answers. */
export async function scriptedServer({
  extensions = [],
  greeting = () => '220 scripted ESMTP',
  answer,
  mail,
}: Script): Promise<ScriptedServer> {
  const seen = { lines: [] as string[], writes: [] as string[], mails: [] as string[] }
  const sockets = new Set<Socket>()
  let connections = 0
  const hello = ['250-scripted', ...extensions.map((name) => `250-${name}`), '250 HELP'].join('\r\n')
  const answerTo = (line: string, connection: number): string | null => {
    if (line.startsWith('EHLO')) return hello
    if (line !== 'QUIT') seen.lines.push(line)
    const reply = answer?.(line, connection)
    return reply === undefined ? (DEFAULTS[line] ?? '250 ok') : reply
  }
  const answerToMail = (bytes: string, connection: number): string | null | Promise<string> => {
    seen.mails.push(bytes)
    const reply = mail?.(bytes, connection)
    return reply === undefined ? '250 taken' : reply
  }
  const serve = (socket: Socket): void => {
    const connection = connections++
    sockets.add(socket)
    let pending = ''
    let inMail = false
    let silent = false
    const respond = (text: string | null): void => {
      inMail = text?.startsWith('354') === true
      silent ||= text === SILENCE
      if (text === null) socket.destroy()
      else if (!silent) socket.write(`${text}\r\n`)
    }
    // What follows a mail that is answered later waits, as with every server.
    const later = (text: Promise<string>): void => {
      silent = true
      void text.then((reply) => {
        silent = false
        respond(reply)
        answerAll()
      })
    }
    const answerAll = (): void => {
      for (;;) {
        const mark = inMail ? (pending.startsWith('.\r\n') ? '.\r\n' : '\r\n.\r\n') : '\r\n'
        const end = pending.indexOf(mark)
        if (end < 0 || silent) return
        const taken = pending.slice(0, end + mark.length)
        pending = pending.slice(taken.length)
        const reply = inMail ? answerToMail(taken, connection) : answerTo(taken.slice(0, -2), connection)
        if (reply instanceof Promise) later(reply)
        else respond(reply)
      }
    }
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      if (!/^(?:EHLO|QUIT)/.test(chunk.toString()) && !inMail) seen.writes.push(chunk.toString())
      pending += chunk.toString()
      answerAll()
    })
    socket.write(`${greeting(connection)}\r\n`)
  }
  const server = createServer(serve).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, ...seen, stop }
}
