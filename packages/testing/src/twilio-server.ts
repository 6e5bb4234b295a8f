import { createHmac, randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRestartableServer, type RestartableServer } from './restartable-server.ts'

type Form = Readonly<Record<string, string>>

/** A request for a message or a call, and what was taken of them. `sid` is the server's name for it. */
type TwilioRequested = Readonly<{ resource: 'Messages' | 'Calls'; form: Form }>
type TwilioTaken = TwilioRequested & Readonly<{ sid: string }>

/**
 * What the server does with a request instead of taking it. `stall`: takes it and never answers. `cut before` and `cut after` close the
 * connection without an answer, not having taken it or having taken it. A function answers by itself.
 */
export type TwilioRule =
  | Readonly<{ status: number; code?: number; message?: string; headers?: Record<string, string> }>
  | 'stall'
  | 'cut before'
  | 'cut after'
  | ((response: ServerResponse, sid: string) => void)

/** A server in this process that speaks Twilio's API for messages and calls. `rule` may be changed while it runs; nothing is a yes. */
export type TwilioServer = RestartableServer &
  Readonly<{
    /** `twilio://…` of an account that exists here. */
    url: string
    account: Readonly<{ sid: string; token: string }>
    requests: readonly TwilioRequested[]
    taken: readonly TwilioTaken[]
    control: { rule?: ((request: TwilioRequested) => TwilioRule | undefined) | undefined }
    /** Posts a signed status report to the StatusCallback of what was taken; answers the status of the reply. */
    report: (taken: TwilioTaken, status: string, more?: Form) => Promise<number>
    /** Posts a signed message from a person to that address. */
    inbound: (address: string, message: Readonly<{ From: string; To: string; Body: string; OptOutType?: string }>) => Promise<number>
  }>

/** `reports`: the statuses that are reported for everything that is taken, in this order. `port`: 0 for a free one. */
export type TwilioServerOptions = Readonly<{ reports?: readonly string[]; port?: number }>

const E164 = /^\+[1-9]\d{6,14}$/
const hex = (): string => randomBytes(16).toString('hex')

export async function startTwilioServer({ reports = [], port = 0 }: TwilioServerOptions = {}): Promise<TwilioServer> {
  const account = { sid: `AC${hex()}`, token: hex() }
  const api: Api = { account, requests: [], taken: [], control: {}, reports }
  const server = await createRestartableServer((request, response) => answer(api, request, response), port)
  const address = `127.0.0.1:${server.port}`
  return {
    ...api,
    ...server,
    url: `twilio://${account.sid}:${account.token}@${address}?protocol=http`,
    report: (one, status, more) => report(api, one, status, more),
    inbound: (to, message) => post(to, { AccountSid: account.sid, MessageSid: `SM${hex()}`, ...message }, account.token),
  }
}

type Api = Readonly<{
  account: TwilioServer['account']
  requests: TwilioRequested[]
  taken: TwilioTaken[]
  control: TwilioServer['control']
  reports: readonly string[]
}>

async function answer(api: Api, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { sid, token } = api.account
  const resource = resourceOf(request.url ?? '', sid)
  const form = await formOf(request)
  if (request.headers.authorization !== `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`)
    return refuse(response, { status: 401, code: 20003, message: 'Authenticate' })
  if (resource === null || request.method !== 'POST') return refuse(response, { status: 404, code: 20404, message: 'Not found' })
  const requested = { resource, form }
  api.requests.push(requested)
  const rule = api.control.rule?.(requested) ?? faultOf(requested)
  if (rule === 'cut before') return void response.destroy()
  if (typeof rule === 'object') return refuse(response, rule)
  const one = take(api, requested)
  if (rule === 'cut after') response.destroy()
  else if (typeof rule === 'function') rule(response, one.sid)
  else if (rule === undefined) respond(response, 201, { sid: one.sid, account_sid: sid, status: 'queued', to: form.To, error_code: null })
}

function take(api: Api, request: TwilioRequested): TwilioTaken {
  const one = { ...request, sid: `${request.resource === 'Calls' ? 'CA' : 'SM'}${hex()}` }
  api.taken.push(one)
  if (one.form.StatusCallback) void reportAll(api, one)
  return one
}

async function reportAll(api: Api, one: TwilioTaken): Promise<void> {
  // The service that it reports to may have ended.
  for (const status of api.reports) await report(api, one, status).catch(() => undefined)
}

function report({ account }: Api, { resource, sid, form }: TwilioTaken, status: string, more: Form = {}): Promise<number> {
  const ids = resource === 'Calls' ? { CallSid: sid, CallStatus: status } : { MessageSid: sid, MessageStatus: status }
  const params = { ...ids, AccountSid: account.sid, To: form.To ?? '', From: form.From ?? '', ...more }
  return post(form.StatusCallback ?? '', params, account.token)
}

async function post(address: string, form: Form, token: string): Promise<number> {
  const headers = { 'X-Twilio-Signature': signatureOf(address, form, token) }
  const response = await fetch(address, { method: 'POST', headers, body: new URLSearchParams(form) })
  await response.body?.cancel()
  return response.status
}

function resourceOf(url: string, sid: string): TwilioRequested['resource'] | null {
  const [, resource] = new RegExp(`/2010-04-01/Accounts/${sid}/(Messages|Calls)\\.json$`).exec(url) ?? []
  return resource === 'Messages' || resource === 'Calls' ? resource : null
}

async function formOf(request: IncomingMessage): Promise<Form> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString('utf8')))
}

/** What the API itself refuses. */
function faultOf({ resource, form }: TwilioRequested): TwilioRule | undefined {
  const { To, From, Body, Twiml } = form
  if (!To) return { status: 400, code: resource === 'Calls' ? 21201 : 21604, message: "A 'To' phone number is required." }
  if (!E164.test(To)) return { status: 400, code: 21211, message: `Invalid 'To' Phone Number: ${To}` }
  if (!From) return { status: 400, code: 21603, message: "A 'From' phone number is required." }
  if (resource === 'Messages' && !Body) return { status: 400, code: 21602, message: 'Message body is required.' }
  if (resource === 'Messages' && (Body?.length ?? 0) > 1600) return { status: 400, code: 21617, message: 'The message is too long.' }
  if (resource === 'Calls' && !Twiml?.includes('<Response>')) return { status: 400, code: 21205, message: 'Url parameter is required.' }
  return undefined
}

function refuse(
  response: ServerResponse,
  { status, code, message, headers = {} }: Exclude<TwilioRule, string | ((...args: never) => void)>,
): void {
  respond(response, status, { code, message, status, more_info: `https://www.twilio.com/docs/errors/${code}` }, headers)
}

function respond(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

/** The signature of https://www.twilio.com/docs/usage/webhooks/webhooks-security. */
function signatureOf(address: string, form: Form, token: string): string {
  const fields = Object.keys(form)
    .sort()
    .map((name) => `${name}${form[name]}`)
  return createHmac('sha1', token)
    .update(address + fields.join(''))
    .digest('base64')
}
