import { METHODS } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { App } from '../src/bare-app.ts'
import { demoApp, THING } from './demo-app.fixture.ts'
import { head, wire } from './wire.fixture.ts'

let app: App
beforeAll(async () => {
  app = demoApp()
  await app.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => app.close())
const { say } = wire(() => app)

const TAKEN = new Set(['GET', 'HEAD', 'POST'])

it.each(METHODS.filter((method) => !TAKEN.has(method)))('%s is the 404 of unknown routes, with a body or without', async (method) => {
  const expected = new RegExp(`^HTTP/1\\.1 404 Not Found\\r\\n[\\s\\S]*\\{"success":false,"message":"Cannot ${method} ${THING}"\\}$`)
  expect(await say(head(method, THING, { Connection: 'close' }))).toMatch(expected)
  const withBody = { 'Content-Type': 'application/json', 'Content-Length': 2, Connection: 'close' }
  if (method !== 'CONNECT') expect(await say(`${head(method, THING, withBody)}{}`)).toMatch(expected)
})

it('a small body of an unknown route does not cost the connection', async () => {
  const answer = await say(`${head('POST', '/nope', { 'Content-Length': 2 })}{}${head('GET', '/health/live', { Connection: 'close' })}`)
  expect(answer).toMatch(/^HTTP\/1\.1 404 [\s\S]*HTTP\/1\.1 200 /)
})
