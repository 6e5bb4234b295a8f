import { once } from 'node:events'
import type { Socket } from 'node:net'
import { logTo } from '@tidings/observability/log'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { App } from '../../src/bare-app.ts'
import { demoApp, THING } from '../demo-app.fixture.ts'
import { head, hear, json, keyless, manualTimer, wire } from '../wire.fixture.ts'

const KIB = 1024

let app: App
let timer: ReturnType<typeof manualTimer>
beforeEach(async () => {
  timer = manualTimer()
  const settings = {
    rateLimits: { default: 'off', key: 'off', forms: 'off' },
    trustProxy: '127.0.0.1',
    bodyLimit: 400 * KIB,
    bodyBudget: 1_600 * KIB,
  } as const
  app = demoApp({ settings, after: timer.after })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(() => app.close())
const { dial, say } = wire(() => app)

const expecting = { ...json, Expect: '100-continue' }

/** A client of `address` that has sent `sent` bytes of a body of 400 KiB, and they have been read. */
const stall = async (address: string, sent: number): Promise<Socket> => {
  const socket = await dial()
  socket.write(head('POST', THING, { ...expecting, 'Content-Length': 400 * KIB, 'X-Forwarded-For': address }))
  await once(socket, 'data')
  socket.write(' '.repeat(sent))
  return socket
}
const body = `{"name":"a"}${' '.repeat(30 * KIB)}`
const statusOf = async (address: string): Promise<string | undefined> =>
  /^HTTP\/1\.1 (\d+)/.exec(
    await say(head('POST', THING, { ...json, 'X-Forwarded-For': address, 'Content-Length': body.length, Connection: 'close' }) + body),
  )?.[1]

describe('the bodies of one address', () => {
  it('take at most a quarter of the memory; everybody else goes on', async () => {
    const sockets = [await stall('192.0.2.1', 190 * KIB), await stall('192.0.2.1', 190 * KIB)]
    await expect.poll(() => statusOf('192.0.2.1')).toBe('503')
    expect([await statusOf('192.0.2.2'), await statusOf('2001:db8::1')]).toEqual(['201', '201'])
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => statusOf('192.0.2.1')).toBe('201')
  })
  it('of an IPv6 /64 are those of one address', async () => {
    const sockets = [await stall('2001:db8::1', 190 * KIB), await stall('2001:db8::2', 190 * KIB)]
    await expect.poll(() => statusOf('2001:db8::3')).toBe('503')
    expect(await statusOf('2001:db8:0:1::3')).toBe('201')
    for (const socket of sockets) socket.destroy()
  })
  it('are given back once, whenever a client leaves', async () => {
    for (let round = 0; round < 4; round++) {
      const sockets = await Promise.all([1, 2, 3, 4].map((n) => stall('192.0.2.1', n * 30 * KIB)))
      for (const socket of sockets) socket.destroy()
    }
    const sockets = [await stall('192.0.2.1', 190 * KIB), await stall('192.0.2.1', 190 * KIB)]
    await expect.poll(() => statusOf('192.0.2.1')).toBe('503')
    for (const socket of sockets) socket.destroy()
    await expect.poll(() => statusOf('192.0.2.1')).toBe('201')
  })
})

describe('pipelined requests', () => {
  it('each keep their body, and give it back when their client leaves', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<void>()
    const busy = demoApp(
      { settings: { rateLimits: { default: 'off', key: 'off', forms: 'off' }, bodyLimit: 100, bodyBudget: 200 } },
      (api) => {
        api.post('/busy', { config: { access: 'open', raw: true } }, async () => {
          await work
          return {}
        })
      },
    )
    await busy.listen({ port: 0, host: '127.0.0.1' })
    const busyWire = wire(() => busy)
    const post = (path: string, headers = {}) =>
      `${keyless('POST', path, { ...json, 'Content-Length': 50, ...headers })}{}${' '.repeat(48)}`
    const socket = await busyWire.dial()
    socket.write(post('/busy') + post('/busy'))
    const third = () => busyWire.say(post(THING, { Connection: 'close' }))
    await expect.poll(third).toMatch(/^HTTP\/1\.1 503 /)
    socket.destroy()
    await expect.poll(third).toMatch(/^HTTP\/1\.1 401 /)
    finish()
    await busy.close()
  })
})

describe('a body that stalls', () => {
  it('is 408 after 20 s, on a connection that closes, and what it held is free', async () => {
    const sockets = [await stall('192.0.2.1', 190 * KIB), await stall('192.0.2.1', 190 * KIB)]
    await expect.poll(() => statusOf('192.0.2.1')).toBe('503')
    const answers = sockets.map(hear)
    timer.pass(20_000)
    await expect.poll(() => statusOf('192.0.2.1')).toBe('201')
    for (const answer of answers) {
      expect(await answer).toMatch(
        /HTTP\/1\.1 408 Request Timeout\r\n[\s\S]*connection: close\r\n[\s\S]*The request body did not arrive in time/i,
      )
    }
  })
  it('goes on where it brings 160 KiB in 10 s', async () => {
    const socket = await stall('192.0.2.1', 1)
    timer.pass(10_000)
    socket.write(' '.repeat(190 * KIB))
    // Refused is what would be over 400 KiB: then 160 at least have been read of the 190.
    const probe = await stall('192.0.2.1', 205 * KIB)
    await expect.poll(() => statusOf('192.0.2.1')).toBe('503')
    probe.destroy()
    await expect.poll(() => statusOf('192.0.2.1')).toBe('201')
    timer.pass(10_000)
    socket.write(`{"name":"a"}${' '.repeat(400 * KIB - 190 * KIB - 13)}`)
    const [answer] = await once(socket, 'data')
    expect(String(answer)).toMatch(/^HTTP\/1\.1 201 /)
    socket.destroy()
  })
  it('that no route waits for loses its connection 2 s after the answer', async () => {
    const socket = await dial()
    socket.write(keyless('GET', '/health/live', { 'Content-Length': 10 }))
    const answer = hear(socket)
    await expect.poll(() => timer.waiting()).toBe(1)
    timer.pass(2_000)
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe('a client that leaves in the middle of its body', () => {
  it('is no outage, and nothing is logged', async () => {
    const lines: string[] = []
    const left = demoApp({ log: logTo({ write: (line) => lines.push(line) }, 'warn'), after: timer.after })
    let errors = 0
    left.addHook('onError', async () => {
      errors++
    })
    await left.listen({ port: 0, host: '127.0.0.1' })
    for (const how of ['destroy', 'resetAndDestroy'] as const) {
      const socket = await wire(() => left).dial()
      socket.write(keyless('POST', THING, { ...expecting, 'Content-Length': 100 }))
      await once(socket, 'data')
      socket.write('{')
      socket[how]()
    }
    await expect.poll(() => errors).toBe(2)
    await left.close()
    expect(lines).toEqual([])
  })
})
