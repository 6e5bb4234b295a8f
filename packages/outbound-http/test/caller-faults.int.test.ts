import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { freePort } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Caller, CallFailed, createCaller } from '../src/caller.ts'
import { createGuard } from '../src/guard.ts'

const CONNECTIONS = 2
const MORE_THAN_CONNECTIONS = 5

let server: Server
let caller: Caller
let port: number
let answer: RequestListener

const serve = async (): Promise<void> => {
  server = createServer((request, response) => answer(request, response))
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
}

const leave = async (): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

const callerWithin = (timeoutMs: number): Caller => {
  const guard = createGuard({ resolve: async () => ['127.0.0.1'], allowLocal: true })
  return createCaller({ guard, timeoutMs, connections: CONNECTIONS })
}

beforeEach(async () => {
  answer = (_, response) => response.writeHead(204).end()
  port = await freePort()
  await serve()
  caller = callerWithin(60_000)
})
afterEach(async () => {
  await caller.close()
  await leave()
})

type RequestOptions = Readonly<{ headers?: Readonly<Record<string, string>>; signal?: AbortSignal; onSent?: () => void }>

const ask = async ({ headers = {}, signal, onSent }: RequestOptions = {}): Promise<number> => {
  const url = `http://hooks.test:${port}/hook`
  const post = { scope: 'acme', lane: 'one', url, headers, body: Buffer.from('{}'), ...(signal && { signal }) }
  return (await caller.ask(post, onSent)).status
}

/** Each fails before the next begins, or all at once. */
const failAll = async (asked: () => RequestOptions, message: string): Promise<void> => {
  for (let n = 0; n < MORE_THAN_CONNECTIONS; n++) await expect(ask(asked())).rejects.toThrow(message)
  const together = await Promise.allSettled(Array.from({ length: MORE_THAN_CONNECTIONS }, () => ask(asked())))
  for (const result of together) expect(result).toMatchObject({ status: 'rejected', reason: { message } })
}

const answersAll = async (): Promise<void> => {
  expect(await ask()).toBe(204)
  expect(await Promise.all(Array.from({ length: MORE_THAN_CONNECTIONS }, () => ask()))).toEqual(Array(MORE_THAN_CONNECTIONS).fill(204))
}

test.each([
  ['a value outside Latin-1', { 'x-word': 'שלום' }, 'UND_ERR_INVALID_ARG'],
  ['a line break in a value', { 'x-word': 'a\r\nx-other: b' }, 'UND_ERR_INVALID_ARG'],
  ['a name that is no token', { 'x word': 'a' }, 'UND_ERR_INVALID_ARG'],
  ['a header that the client does not support', { expect: '100-continue' }, 'UND_ERR_NOT_SUPPORTED'],
])('%s fails before it is sent, and takes no connection from later calls', async (_, headers, code) => {
  await expect(ask({ headers })).rejects.toMatchObject({ name: 'CallFailed', sent: false })
  await failAll(() => ({ headers }), code)
  await answersAll()
})

test('what cannot be sent takes no connection from calls that wait behind it', async () => {
  const held: (() => void)[] = []
  answer = (_, response) => held.push(() => response.writeHead(204).end())
  const first = Array.from({ length: CONNECTIONS }, () => ask())
  await expect.poll(() => held.length).toBe(CONNECTIONS)
  answer = (_, response) => response.writeHead(204).end()
  const unsendable = Array.from({ length: MORE_THAN_CONNECTIONS }, () => ask({ headers: { 'x-word': 'שלום' } }).catch((error) => error))
  const last = ask()
  for (const release of held) release()
  for (const failure of await Promise.all(unsendable)) expect(failure).toMatchObject({ message: 'UND_ERR_INVALID_ARG', sent: false })
  expect(await Promise.all([...first, last])).toEqual([204, 204, 204])
  await answersAll()
})

test('a signal that aborted before the call takes no connection', async () => {
  await failAll(() => ({ signal: AbortSignal.abort() }), 'the name was not looked up in time')
  await answersAll()
})

test('a signal that aborts as the request is about to leave takes no connection', async () => {
  await failAll(() => {
    const stopping = new AbortController()
    return { signal: stopping.signal, onSent: () => stopping.abort() }
  }, 'no answer in time')
  await answersAll()
})

test('a caller that throws as the request is about to leave takes no connection', async () => {
  const onSent = () => {
    throw new CallFailed('the job is not ours any more')
  }
  await failAll(() => ({ onSent }), 'the job is not ours any more')
  await answersAll()
})

test('a wait for a connection ends with the time of its call, and takes no connection', async () => {
  const orderly = answer
  answer = () => undefined
  await caller.close()
  caller = callerWithin(8_000)
  const results = await Promise.allSettled(Array.from({ length: MORE_THAN_CONNECTIONS }, () => ask()))
  const sent = results.map((result) => result.status === 'rejected' && (result.reason as CallFailed).sent)
  expect(sent.filter(Boolean)).toHaveLength(CONNECTIONS)
  for (const result of results) expect(result).toMatchObject({ reason: { message: 'no answer in time' } })
  answer = orderly
  await answersAll()
})

test('a server that is away takes no connection', async () => {
  await leave()
  await failAll(() => ({}), 'ECONNREFUSED')
  await serve()
  await answersAll()
})

test.each([
  ['is no HTTP', 'NONSENSE\r\n\r\n', /^the connection failed$/],
  ['switches the protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n', /^UND_ERR_/],
  ['ends in its head', 'HTTP/1.1 200 OK\r\nx-', /^UND_ERR_SOCKET$/],
])('an answer that %s takes no connection', async (_, text, message) => {
  const orderly = answer
  answer = ({ socket }) => socket.end(text)
  for (let n = 0; n < MORE_THAN_CONNECTIONS; n++) await expect(ask()).rejects.toThrow(message)
  answer = orderly
  await answersAll()
})
