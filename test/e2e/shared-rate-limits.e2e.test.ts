import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'
import { type Stack, startStack } from './support/stack.ts'

let database: TestDatabase
let installation: Installation
let projectors: Stack
let acme: Client
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  projectors = await startStack(installation.env, [['projectors']])
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await projectors.stop()
  await installation.close()
  await database.drop()
})

const CLIENTS = 8
const WINDOW_MS = 60_000

/** Asks without a pause until this process has refused; answers how many requests it let through. */
const passedBy = async ({ url }: ServiceProcess): Promise<number> => {
  const client = clientOf({ url, applied: acme.applied })
  let passed = 0
  let refused = false
  const askOn = async () => {
    while (!refused) {
      const { status } = await client.request('GET', '/public/me')
      if (status === 200) passed++
      else if (status === 429) refused = true
      else throw new Error(`answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, askOn))
  return passed
}

/** Two processes that count only what `limits` says; how many requests both let through in one window. */
const passedByTwo = async (limits: Readonly<Record<string, string>>): Promise<number> => {
  const two = await startStack({ ...installation.env, ...limits, TIDINGS_LOG_LEVEL: 'warn' }, [['query-api'], ['query-api']])
  const began = performance.now()
  const passed = await Promise.all(two.processes().map(passedBy)).finally(two.stop)
  const isOneWindow = performance.now() - began < WINDOW_MS
  if (isOneWindow && two.processes().every(({ output }) => !output().includes('the shared rate limits cannot be counted')))
    return passed.reduce((sum, count) => sum + count, 0)
  // On a busy machine the window ended meanwhile, or Postgres did not answer one of them for a second, and it counted by itself.
  await database.pool.query('delete from ops.rate_window')
  return await passedByTwo(limits)
}

describe('two processes', () => {
  it('let a key have its limit together, and at most 5 % more', async () => {
    const passed = await passedByTwo({ TIDINGS_RATE_LIMIT_DEFAULT: 'off', TIDINGS_RATE_LIMIT_KEY: '300' })
    expect(passed).toBeGreaterThanOrEqual(300)
    expect(passed).toBeLessThanOrEqual(315)
  })

  it('let an address have the limit of a route together, and at most 5 % more', async () => {
    const passed = await passedByTwo({ TIDINGS_RATE_LIMIT_DEFAULT: '60', TIDINGS_RATE_LIMIT_KEY: 'off' })
    expect(passed).toBeGreaterThanOrEqual(60)
    expect(passed).toBeLessThanOrEqual(63)
  })
})
