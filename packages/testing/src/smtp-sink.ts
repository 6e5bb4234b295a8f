import { once } from 'node:events'
import type { Socket } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { freePort } from './free-port.ts'

/** A mail the sink took. */
export type SunkMail = Readonly<{ from: string; to: readonly string[]; raw: string }>

/** What the sink says at each step: nothing is a yes, and so is an answer below 300, which it gives in those words. */
type SmtpAnswers = {
  mail?: (from: string) => SmtpRefusal | undefined
  rcpt?: (to: string) => SmtpRefusal | undefined | Promise<SmtpRefusal | undefined>
  data?: (mail: SunkMail) => SmtpRefusal | undefined | Promise<SmtpRefusal | undefined>
}
export type SmtpRefusal = Readonly<{ code: number; message: string }>

/** A real SMTP server in this process that keeps what it takes. `answers` may be changed while it runs. */
export type SmtpSink = Readonly<{
  url: string
  mails: SunkMail[]
  answers: SmtpAnswers
  connections: () => number
  sockets: () => readonly Socket[]
  /** Cuts every connection and closes the port; `start` opens the same port again. */
  stop: () => Promise<void>
  start: () => Promise<void>
}>

const refusal = ({ code, message }: SmtpRefusal): Error => Object.assign(new Error(message), { responseCode: code })

/** Starts a sink on a free port of 127.0.0.1; `options` are those of smtp-server (TLS, authentication). */
export async function startSmtpSink(options: SMTPServerOptions = {}): Promise<SmtpSink> {
  const mails: SunkMail[] = []
  const answers: SmtpAnswers = {}
  let server = serverOf(mails, answers, options)
  const port = await freePort()
  const start = async () => {
    server = serverOf(mails, answers, options)
    server.listen(port, '127.0.0.1')
    await once(server.server, 'listening')
  }
  await start()
  return {
    url: `${options.secure === true ? 'smtps' : 'smtp'}://127.0.0.1:${port}`,
    mails,
    answers,
    connections: () => server.connections.size,
    sockets: () => [...server.connections].map(({ _socket }) => _socket),
    start,
    stop: async () => {
      for (const connection of server.connections) connection._socket.destroy()
      await new Promise<void>((resolve) => server.close(resolve))
    },
  }
}

function serverOf(mails: SunkMail[], answers: SmtpAnswers, options: SMTPServerOptions): SMTPServer {
  const server = new SMTPServer({
    disabledCommands: options.onAuth === undefined ? ['AUTH', 'STARTTLS'] : ['STARTTLS'],
    disableReverseLookup: true,
    logger: false,
    ...options,
    onMailFrom: ({ address }, _, done) => settle(answers.mail?.(address), done),
    onRcptTo: async ({ address }, _, done) => settle(await answers.rcpt?.(address), done),
    onData: (stream, session, done) => {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', async () => {
        const from = session.envelope.mailFrom === false ? '' : session.envelope.mailFrom.address
        const mail = { from, to: session.envelope.rcptTo.map(({ address }) => address), raw: Buffer.concat(chunks).toString('utf8') }
        const refused = await answers.data?.(mail)
        const isTaken = refused === undefined || refused.code < 300
        if (isTaken) mails.push(mail)
        if (isTaken && refused !== undefined) done(null, refused.message)
        else settle(refused, done)
      })
    },
  })
  // A client that goes away in the middle is part of many tests.
  server.on('error', () => undefined)
  return server
}

const settle = (refused: SmtpRefusal | undefined, done: (error?: Error | null) => void): void => done(refused ? refusal(refused) : null)
