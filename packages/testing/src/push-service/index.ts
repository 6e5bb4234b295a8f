import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type BrowserKeys, decryptPush, newBrowserKeys } from './decrypt.ts'
import { type VapidClaims, verifyVapid } from './vapid.ts'

export { keyingMaterial } from './decrypt.ts'

/** A subscription as the browser hands it to its page. */
type Subscription = Readonly<{ endpoint: string; keys: Readonly<{ p256dh: string; auth: string }> }>

/** A push that was taken: `body` is encrypted, `text` is what the browser reads. */
type TakenPush = Readonly<{
  endpoint: string
  headers: IncomingMessage['headers']
  body: Buffer
  text: string
  vapid: VapidClaims
}>

/** What is done with a push instead of taking it. `stall` and `cut after` take it, and never answer or close the connection. */
export type PushRule = Readonly<{ status: number; headers?: Record<string, string>; body?: string }> | 'stall' | 'cut after'

/** A push service in this process (RFC 8030), which also plays the browsers: it reads what only they can. `rule` may be changed while it runs. */
export type PushService = Readonly<{
  subscribe: () => Subscription
  /** What the browser with that endpoint reads with. */
  browser: (endpoint: string) => BrowserKeys
  /** Each request, also one that is not taken, by its endpoint. */
  requests: readonly string[]
  taken: readonly TakenPush[]
  control: { rule?: ((endpoint: string) => PushRule | undefined | Promise<PushRule | undefined>) | undefined }
  stop: () => Promise<void>
}>

export async function startPushService(): Promise<PushService> {
  const browsers = new Map<string, BrowserKeys>()
  const requests: string[] = []
  const taken: TakenPush[] = []
  const control: PushService['control'] = {}
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const endpoint = `${origin()}${request.url}`
    const body = await buffer(request)
    requests.push(endpoint)
    const rule = await control.rule?.(endpoint)
    if (typeof rule === 'object') return void response.writeHead(rule.status, rule.headers).end(rule.body)
    const status = take(endpoint, request.headers, body)
    if (rule === 'cut after') return void response.destroy()
    if (rule !== 'stall') response.writeHead(status, status === 201 ? { location: `${origin()}/m/${taken.length}` } : {}).end()
  }

  const take = (endpoint: string, headers: IncomingMessage['headers'], body: Buffer): number => {
    const browser = browsers.get(endpoint)
    const vapid = verifyVapid(headers.authorization, Date.now())
    if (browser === undefined) return 404
    if (vapid?.aud !== origin()) return 403
    // RFC 8030 §5.2 and §7.2.
    if (headers.ttl === undefined || headers['content-encoding'] !== 'aes128gcm') return 400
    if (body.length > 4_096) return 413
    taken.push({ endpoint, headers, body, text: decryptPush(browser, body).toString(), vapid })
    return 201
  }

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    requests,
    taken,
    control,
    subscribe: () => {
      const browser = newBrowserKeys(randomBytes(16))
      const endpoint = `${origin()}/push/${randomBytes(24).toString('base64url')}`
      browsers.set(endpoint, browser)
      return { endpoint, keys: { p256dh: browser.keys.getPublicKey().toString('base64url'), auth: browser.auth.toString('base64url') } }
    },
    browser: (endpoint) => {
      const browser = browsers.get(endpoint)
      if (browser === undefined) throw new Error('no browser has subscribed there')
      return browser
    },
    stop: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
