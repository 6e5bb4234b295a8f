import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRestartableServer, type RestartableServer } from './restartable-server.ts'

/** A request for a mail: without a recipient it is refused. `mime`: the file. */
type MailgunRequested = Readonly<{ to: string; mime: string; fields: Readonly<Record<string, string>> }>

/** Instead of taking it. `stall`: takes it and never answers. `cut after`: takes it and closes the connection. A function answers by itself. */
export type MailgunRule =
  | Readonly<{ status: number; message?: string; headers?: Record<string, string> }>
  | Readonly<{ id: string; message?: string }>
  | 'stall'
  | 'cut after'
  | ((response: ServerResponse, id: string) => void)

/** A server in this process that speaks Mailgun's API for MIME. `rule` may be changed while it runs; nothing is a yes. */
export type MailgunServer = RestartableServer &
  Readonly<{
    /** `mailgun://…` of a domain that exists here. */
    url: string
    key: string
    webhookKey: string
    taken: readonly MailgunRequested[]
    control: { rule?: ((request: MailgunRequested) => MailgunRule | undefined) | undefined }
    /** The body of a report, signed as Mailgun does. `at`: ms. */
    signed: (event: unknown, at?: number) => string
  }>

const DOMAIN = 'mg.acme.example'
const hex = (): string => randomBytes(16).toString('hex')

export async function startMailgunServer(): Promise<MailgunServer> {
  const [key, webhookKey] = [hex(), hex()]
  const taken: MailgunRequested[] = []
  const control: MailgunServer['control'] = {}
  const listener = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    if (request.headers.authorization !== `Basic ${Buffer.from(`api:${key}`).toString('base64')}`)
      return void response.writeHead(401, { 'content-type': 'text/plain' }).end('Forbidden')
    if (request.method !== 'POST' || request.url !== `/v3/${DOMAIN}/messages.mime`) return answer(response, 404, { message: 'Not found' })
    const requested = formOf(Buffer.concat(chunks).toString('utf8'), request.headers['content-type'] ?? '')
    if (requested.to === '') return answer(response, 400, { message: 'to parameter is missing' })
    const rule = control.rule?.(requested)
    if (typeof rule === 'object' && 'status' in rule) return answer(response, rule.status, { message: rule.message }, rule.headers)
    taken.push(requested)
    const id = typeof rule === 'object' ? rule.id : (/^Message-ID: <([^>]*)>/im.exec(requested.mime)?.[1] ?? hex())
    if (rule === 'cut after') response.destroy()
    else if (typeof rule === 'function') rule(response, id)
    else if (rule !== 'stall')
      answer(response, 200, { id: `<${id}>`, message: (typeof rule === 'object' ? rule.message : undefined) ?? 'Queued. Thank you.' })
  }
  const server = await createRestartableServer(listener)
  return {
    url: `mailgun://${DOMAIN}:${key}@127.0.0.1:${server.port}?protocol=http&webhook=${webhookKey}`,
    ...{ ...server, key, webhookKey, taken, control },
    signed: (event, at = Date.now()) => {
      const [timestamp, token] = [String(Math.floor(at / 1_000)), randomBytes(25).toString('hex')]
      const signature = createHmac('sha256', webhookKey)
        .update(timestamp + token)
        .digest('hex')
      return JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event })
    },
  }
}

const answer = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** The fields of a form, by its boundary (RFC 7578). */
function formOf(text: string, type: string): MailgunRequested {
  const boundary = /boundary="([^"]+)"/.exec(type)?.[1] ?? ''
  const fields: Record<string, string> = {}
  for (const part of text.split(`--${boundary}\r\n`).slice(1)) {
    const at = part.indexOf('\r\n\r\n')
    const name = /name="([^"]+)"/.exec(part.slice(0, at))?.[1] ?? ''
    fields[name] = part.slice(at + 4).replace(new RegExp(`\r\n(?:--${boundary}--\r\n)?$`), '')
  }
  return { to: fields.to ?? '', mime: fields.message ?? '', fields }
}
