import type { Socket } from 'node:net'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { App } from '../src/bare-app.ts'
import { demoApp } from './demo-app.fixture.ts'
import { keyless, wire } from './wire.fixture.ts'

const OPEN = { config: { access: 'open', raw: true, throttle: false } } as const

let app: App
let client: Socket
let begun: number
let finish: () => void
beforeEach(async () => {
  const { promise: work, resolve } = Promise.withResolvers<void>()
  begun = 0
  finish = resolve
  app = demoApp({}, (api) => {
    api.get('/slow', OPEN, async () => {
      begun++
      await work
      return {}
    })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterEach(async () => {
  client.destroy()
  finish()
  await app.close()
})
const dial = async (): Promise<Socket> => {
  client = await wire(() => app).dial()
  return client
}

const answersOf = (text: string): number => text.match(/HTTP\/1\.1 200 OK/g)?.length ?? 0

it('answers sixteen requests at once on one connection, and goes on', async () => {
  const socket = await dial()
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(keyless('GET', '/slow', {}).repeat(16))
  await expect.poll(() => begun).toBe(16)
  finish()
  await expect.poll(() => answersOf(text)).toBe(16)
  socket.write(keyless('GET', '/slow', {}).repeat(16))
  await expect.poll(() => answersOf(text)).toBe(32)
})

it.each(['/slow', '/health/live', '/nope', '/%zz'])('closes a connection with a seventeenth (%s)', async (path) => {
  const socket = await dial()
  let text = ''
  socket.on('error', () => undefined)
  socket.on('data', (chunk) => {
    text += chunk
  })
  socket.write(keyless('GET', path, {}).repeat(1_000))
  await expect.poll(() => socket.closed).toBe(true)
  expect(answersOf(text)).toBeLessThanOrEqual(16)
  expect(begun).toBe(path === '/slow' ? 16 : 0)
})
