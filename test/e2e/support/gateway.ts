import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** The addresses of the two faces of the service as of now; several are taken in turn. */
export type Upstreams = Readonly<{
  commandApi: () => readonly string[]
  queryApi: () => readonly string[]
  /** A path such as `/tidings` that is taken off; what is not below it is 404. */
  under?: string
}>
export type Gateway = Readonly<{ url: string; close: () => Promise<void> }>

/** What an ingress in front of separate roles has to know (docs/how-to/scale-out.md). */
const isRead = ({ method, url = '' }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') && /^\/api\/v1\/(public(\/|\?|$)|push\/public-key(\?|$))/.test(url)

/** A reverse proxy that routes by method: no buffering, no retries, the client's address in `X-Forwarded-For`. */
export async function startGateway({ commandApi, queryApi, under = '' }: Upstreams): Promise<Gateway> {
  const agent = new Agent({ keepAlive: true })
  let next = 0
  const oneOf = (urls: readonly string[]): string => urls[next++ % urls.length] ?? ''
  const server = createServer((incoming, answer) => {
    if (!incoming.url?.startsWith(`${under}/`)) return answer.writeHead(404, { 'content-type': 'text/plain' }).end('Not below the path')
    incoming.url = incoming.url.slice(under.length)
    forward(incoming, answer, { agent, to: oneOf((isRead(incoming) ? queryApi : commandApi)()) })
  })
  // This is longer than any client keeps an idle connection, so that none is cut while a request is on its way.
  server.keepAliveTimeout = 75_000
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      agent.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const forward = (incoming: IncomingMessage, answer: ServerResponse, { agent, to }: Readonly<{ agent: Agent; to: string }>): void => {
  const { method, url, headers, socket } = incoming
  const { hostname, port } = new URL(to)
  const known = headers['x-forwarded-for']
  const forwarded = [...(known === undefined ? [] : [known].flat()), socket.remoteAddress ?? ''].join(', ')
  const upstream = request({ agent, hostname, port, method, path: url, headers: { ...headers, 'x-forwarded-for': forwarded } })
  upstream.on('response', (response) => {
    answer.writeHead(response.statusCode ?? 502, response.rawHeaders)
    response.pipe(answer)
  })
  upstream.on('error', () => {
    if (answer.headersSent) answer.destroy()
    else answer.writeHead(502, { 'content-type': 'text/plain' }).end('Bad Gateway')
  })
  answer.on('close', () => upstream.destroy())
  incoming.pipe(upstream)
}
