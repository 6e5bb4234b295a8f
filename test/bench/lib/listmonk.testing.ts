import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** What the server was given. */
type TakenRequests = { authorization: Set<string>; imported: readonly string[]; campaigns: number[]; running: number[] }

export type ListmonkStandIn = Readonly<{ url: string; taken: TakenRequests; close: () => Promise<void> }>

const read = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

/** Says each mail to the sink over one connection. */
const openSmtp = (port: number) => {
  const socket = connect(port, '127.0.0.1')
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]()
  const answered = async (): Promise<void> => {
    while (/^\d{3}-/.test(String((await lines.next()).value)));
  }
  const say = async (text: string): Promise<void> => {
    socket.write(`${text}\r\n`)
    await answered()
  }
  let before = answered().then(() => say('EHLO stand-in'))
  return {
    send: (to: string): Promise<void> => {
      before = before.then(async () => {
        for (const line of ['MAIL FROM:<a@example.com>', `RCPT TO:<${to}>`, 'DATA', 'Subject: one\r\n\r\none\r\n.']) await say(line)
      })
      return before
    },
    close: () => socket.destroy(),
  }
}

/**
 * The part of listmonk's API that the bench uses, as its documents describe it (listmonk.app/docs/apis), over real SMTP: it answers a
 * transactional request before the mail has left, and sends a campaign once it is set to run.
 */
export async function startListmonkStandIn(smtpPort: number, { token }: Readonly<{ token: string }>): Promise<ListmonkStandIn> {
  let smtp: ReturnType<typeof openSmtp> | undefined
  /** Connects with the first mail: the sink may be started later than this. */
  const send = (to: string): void => {
    smtp ??= openSmtp(smtpPort)
    void smtp.send(to)
  }
  const taken: TakenRequests = { authorization: new Set(), imported: [], campaigns: [], running: [] }
  const answers: Readonly<Record<string, (body: Buffer, id: number) => unknown>> = {
    'POST /api/lists': () => ({ id: 7 }),
    'POST /api/import/subscribers': (body) => {
      taken.imported = body.toString().match(/^\S+@\S+?(?=,)/gm) ?? []
      return { mode: 'subscribe' }
    },
    'GET /api/import/subscribers': () => ({ status: 'finished' }),
    'DELETE /api/import/subscribers': () => ({ status: 'none' }),
    'POST /api/templates': () => [{ id: 3 }],
    'POST /api/tx': (body) => {
      const { subscriber_email: to, template_id: template } = JSON.parse(body.toString()) as {
        subscriber_email: string
        template_id: number
      }
      if (template !== 3 || !taken.imported.includes(to)) return undefined
      send(to)
      return true
    },
    'POST /api/campaigns': () => ({ id: taken.campaigns.push(taken.campaigns.length + 1) }),
    'PUT /api/campaigns/id/status': (_, id) => {
      taken.running.push(id)
      for (const to of taken.imported) send(to)
      return { id, status: 'running' }
    },
  }
  const server: Server = createServer((request, response) => {
    void read(request).then((body) => {
      taken.authorization.add(request.headers.authorization ?? '')
      const { url = '', method = '' } = request
      const id = Number(/\d+/.exec(url)?.[0])
      const data = request.headers.authorization === token ? answers[`${method} ${url.replace(/\d+/, 'id')}`]?.(body, id) : undefined
      const status = data === undefined ? 403 : 200
      const text = JSON.stringify(data === undefined ? { message: 'refused' } : { data })
      // As Go writes short answers: the load generator takes answers with a length.
      response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
      response.end(text)
    })
  })
  const { promise, resolve } = Promise.withResolvers<number>()
  server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port))
  const url = `http://127.0.0.1:${await promise}`
  return {
    url,
    taken,
    close: async () => {
      smtp?.close()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}
