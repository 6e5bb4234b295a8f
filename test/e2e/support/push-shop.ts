import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a shop's server is sent (docs/how-to/put-web-push-into-a-shop.md). */
type Message = Readonly<{
  subscription: Readonly<{
    endpoint: string
    keys: Readonly<{ p256dh: string; auth: string }>
    userAgent?: string
    browser?: string
    platform?: string
  }>
  replaces: string | null
}>

/** A shop with web push on an origin of its own, under a policy as strict as one can be. */
export type PushShop = Readonly<{
  origin: string
  /** Every message that the shop was sent, with its cookie, oldest first. */
  messages: readonly Readonly<{ message: Message; cookie: string | null }>[]
  /** The status of the next answers to them. */
  answerWith: (status: number) => void
  close: () => Promise<void>
}>

const NONCE = 'c2hvcA'

const pageOf = (serviceUrl: string, attributes: string): string => `<!doctype html><html lang="en"><title>Shop</title>
<script nonce="${NONCE}" src="${serviceUrl}/storefront/sdk.js" data-service-worker="/worker.js" data-endpoint="/subscriptions" ${attributes}></script>
<p>Shop</p></html>`

/** `attributes`: more of the script tag. */
export async function startPushShop(serviceUrl: string, attributes = ''): Promise<PushShop> {
  const messages: { message: Message; cookie: string | null }[] = []
  let status = 204
  const policy = `default-src 'none'; script-src 'nonce-${NONCE}'; worker-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'`
  const server = createServer(async (request, response) => {
    if (request.url === '/worker.js') {
      // The policy of a service worker is that of its own file.
      const headers = {
        'content-type': 'text/javascript',
        'content-security-policy': `default-src 'none'; script-src ${serviceUrl}; connect-src 'self'`,
      }
      return response.writeHead(200, headers).end(`importScripts('${serviceUrl}/storefront/push-sw.js')`)
    }
    if (request.url === '/subscriptions') {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      messages.push({ message: JSON.parse(Buffer.concat(chunks).toString()), cookie: request.headers.cookie ?? null })
      return response.writeHead(status).end()
    }
    if (request.url === '/favicon.ico') return response.writeHead(204).end()
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'set-cookie': 'session=ada; HttpOnly; Path=/',
    }
    return response.writeHead(200, headers).end(pageOf(serviceUrl, attributes))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    messages,
    answerWith: (next) => {
      status = next
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
