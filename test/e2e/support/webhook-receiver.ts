import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createSecureContext, type TLSSocket } from 'node:tls'
import type { Certificate } from '@tidings/testing/certificates'
import { eventually } from './eventually.ts'

type Received = Readonly<{
  path: string
  headers: IncomingHttpHeaders
  /** The host that TLS was asked for. */
  servername: string | false | undefined
  raw: Buffer
  event: string
  deliveryId: string
  data: Readonly<Record<string, unknown>>
}>

/** What a receiver answers; `null` breaks the connection, `never` lets the sender wait. */
export type Reply = number | null | 'never'

/** Somebody's server that takes webhooks: it keeps what it got, and answers what `reply` says. */
export type Receiver = Readonly<{
  url: string
  all: Received[]
  /** Those that came to `path`. */
  at: (path: string) => readonly Received[]
  /** Waits until so many came to `path`. */
  wait: (path: string, count: number) => Promise<readonly Received[]>
  reply: (answer: (received: Received, nth: number) => Reply) => void
  close: () => Promise<void>
}>

const serve = (certificates: ReadonlyMap<string, Certificate> | undefined, listener: RequestListener) => {
  if (certificates === undefined) return createServer(listener)
  const SNICallback = (name: string, done: (error: Error | null, context?: ReturnType<typeof createSecureContext>) => void) =>
    done(null, createSecureContext(certificates.get(name) ?? {}))
  return createSecureServer({ SNICallback }, listener)
}

/** A receiver that speaks TLS with `certificates`, and shows a caller the one of the host that it asks for. `url` may be called by any of the names. */
export async function startReceiver(certificates?: ReadonlyMap<string, Certificate>): Promise<Receiver> {
  const all: Received[] = []
  let answer: (received: Received, nth: number) => Reply = () => 200
  const server = serve(certificates, (request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const raw = Buffer.concat(chunks)
      const { servername } = request.socket as Partial<TLSSocket>
      const received = { path: request.url ?? '', headers: request.headers, servername, raw, ...JSON.parse(raw.toString()) } as Received
      all.push(received)
      const reply = answer(
        received,
        all.filter(({ deliveryId, path }) => deliveryId === received.deliveryId && path === received.path).length,
      )
      if (reply === null) request.socket.destroy()
      else if (reply !== 'never') response.writeHead(reply, { location: '/elsewhere' }).end('thank you')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const at: Receiver['at'] = (path) => all.filter((received) => received.path === path)
  return {
    url: `${certificates ? 'https' : 'http'}://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    all,
    at,
    wait: (path, count) =>
      eventually(
        async () => at(path),
        (received) => received.length >= count,
      ),
    reply: (next) => {
      answer = next
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
