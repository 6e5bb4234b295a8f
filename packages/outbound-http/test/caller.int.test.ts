import { once } from 'node:events'
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, CallFailed, createCaller } from '../src/caller.ts'
import { Blocked, createGuard, createOriginGuard } from '../src/guard.ts'
import { Unresolved } from '../src/name-lookups.ts'

let server: Server
let origin: string
let answer: RequestListener
let asked: IncomingMessage[] = []
let sockets = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request)
    answer(request, response)
  })
  server.on('connection', () => sockets++)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  origin = `http://hooks.test:${typeof address === 'object' ? address?.port : 0}`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const callers: Caller[] = []
afterEach(async () => {
  asked = []
  sockets = 0
  for (const caller of callers.splice(0)) await caller.close()
})

/** The name leads nowhere but to what the guard says. */
const callerWith = (timeoutMs = 60_000): Caller => {
  const guard = createGuard({ resolve: async () => ['127.0.0.1'], allowLocal: true })
  const caller = createCaller({ guard, timeoutMs, connections: 2 })
  callers.push(caller)
  return caller
}
const post = (caller: Caller, path = '/hook', lane = 'one') =>
  caller.post({ scope: 'acme', lane, url: `${origin}${path}`, headers: { 'x-word': 'hi' }, body: Buffer.from('{}') })

describe('a call', () => {
  it('goes to the checked address, keeps its connection, and returns only the status', async () => {
    answer = (_, response) => response.writeHead(204).end()
    const caller = callerWith()
    expect(await post(caller, '/hook?a=b#c')).toEqual({ status: 204 })
    expect(await post(caller)).toEqual({ status: 204 })
    expect(asked.map(({ method, url, headers }) => [method, url, headers['x-word']])).toEqual([
      ['POST', '/hook?a=b', 'hi'],
      ['POST', '/hook', 'hi'],
    ])
    for (let n = 0; n < 10; n++) await post(caller)
    expect(sockets).toBeLessThanOrEqual(2)
  })

  it('over TLS goes to the checked address too, and asks it for the name of the URL', async () => {
    const hello = Promise.withResolvers<Buffer>()
    const tls = createTcpServer((socket) => {
      socket.once('data', (bytes) => {
        hello.resolve(bytes)
        socket.destroy()
      })
      socket.on('error', () => undefined)
    })
    tls.listen(0, '127.0.0.1')
    await once(tls, 'listening')
    const address = tls.address()
    const port = typeof address === 'object' ? address?.port : 0
    const called = callerWith().post({
      scope: 'acme',
      lane: 'one',
      url: `https://hooks.test:${port}/`,
      headers: {},
      body: Buffer.from('{}'),
    })
    await expect(called).rejects.toThrow(CallFailed)
    const bytes = await hello.promise
    expect([bytes[0], bytes.includes('hooks.test')]).toEqual([0x16, true])
    tls.close()
  })

  it('follows no redirect', async () => {
    answer = (_, response) => response.writeHead(302, { location: `${origin}/elsewhere` }).end()
    expect(await post(callerWith())).toEqual({ status: 302 })
    expect(asked).toHaveLength(1)
  })

  it('reads no more than a little of an endless answer', async () => {
    answer = (_, response) => {
      response.writeHead(200)
      const more = () => {
        while (!response.destroyed && response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    }
    expect(await post(callerWith())).toEqual({ status: 200 })
  })

  it('fails when no answer comes in time, or none at all', async () => {
    answer = () => undefined
    await expect(post(callerWith(150))).rejects.toThrow('no answer in time')
    answer = (request) => request.socket.destroy()
    await expect(post(callerWith())).rejects.toThrow(CallFailed)
  })

  it('waits for no connection of another lane, though both lead to one server that holds them', async () => {
    answer = ({ url }, response) => (url === '/never' ? undefined : response.writeHead(204).end())
    const caller = callerWith()
    const stuck = Promise.allSettled(Array.from({ length: 4 }, () => post(caller, '/never', 'stuck')))
    expect(await post(caller, '/hook', 'free')).toEqual({ status: 204 })
    await caller.close()
    await stuck
  })

  it('whose name is not looked up in time has failed before the receiver was asked', async () => {
    const guard = createGuard({ resolve: () => new Promise(() => undefined), allowLocal: true })
    const caller = createCaller({ guard, timeoutMs: 50, connections: 2 })
    callers.push(caller)
    await expect(post(caller)).rejects.toThrow(Unresolved)
    expect(asked).toHaveLength(0)
  })

  it('fails when the answer never ends', async () => {
    answer = (_, response) => response.writeHead(200).write('x')
    await expect(post(callerWith(150))).rejects.toThrow('no answer in time')
  })
})

describe('a call whose answer is read', () => {
  const ask = (caller: Caller, onSent?: () => void) =>
    caller.ask({ scope: 'acme', lane: 'one', url: `${origin}/api`, headers: {}, body: Buffer.from('a=b') }, onSent)

  it('brings status, headers and body', async () => {
    answer = (_, response) => response.writeHead(429, { 'retry-after': '3' }).end('{"code":20429}')
    const { status, headers, body } = await ask(callerWith())
    expect([status, headers['retry-after'], body?.toString()]).toEqual([429, '3', '{"code":20429}'])
  })

  it('has no body where that is longer than the limit, however long it is', async () => {
    answer = (_, response) => {
      response.writeHead(201)
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
        response.once('drain', more)
      }
      more()
    }
    expect(await ask(callerWith())).toMatchObject({ status: 201, body: null })
  })

  it('says whether the request had left when it failed', async () => {
    let sent = 0
    answer = (_, response) => response.destroy()
    await expect(ask(callerWith(), () => sent++)).rejects.toMatchObject({ name: 'CallFailed', sent: true })
    answer = () => undefined
    await expect(ask(callerWith(5_000), () => sent++)).rejects.toMatchObject({ message: 'no answer in time', sent: true })
    expect(sent).toBe(2)
    const guard = createOriginGuard('http://127.0.0.1:9')
    const caller = createCaller({ guard, timeoutMs: 60_000, connections: 1 })
    callers.push(caller)
    const nowhere = { scope: '', lane: '', url: 'http://127.0.0.1:9/api', headers: {}, body: Buffer.alloc(0) }
    await expect(caller.ask(nowhere, () => sent++)).rejects.toMatchObject({ name: 'CallFailed', sent: false, message: 'ECONNREFUSED' })
    expect(sent).toBe(2)
  })
})

describe('a server that the operator names', () => {
  it('is called where it is, and nothing else is', async () => {
    answer = (_, response) => response.writeHead(200).end('yes')
    const named = origin.replace('hooks.test', 'localhost')
    const caller = createCaller({ guard: createOriginGuard(named), timeoutMs: 60_000, connections: 1 })
    callers.push(caller)
    const call = (url: string) => caller.ask({ scope: '', lane: '', url, headers: {}, body: Buffer.alloc(0) })
    expect(await call(`${named}/api`)).toMatchObject({ status: 200 })
    await expect(call(`${origin}/api`)).rejects.toThrow(Blocked)
  })
})
