import { logTo } from '@tidings/observability/log'
import { expect, it, vi } from 'vitest'
import { acme, demoApp } from './demo-app.fixture.ts'

const logged = async (route: (log: { info: (fields: object, text: string) => void }) => unknown, url = '/api/v1/logged') => {
  const lines: string[] = []
  const log = logTo({ write: (line) => lines.push(line) }, 'info')
  const app = demoApp({ log }, (api) => {
    api.get('/api/v1/logged', { config: { raw: true } }, async (request) => route(request.log))
  })
  await app.inject({ url, headers: { ...acme, 'x-request-id': 'mine' } })
  await app.close()
  return lines.map((line) => JSON.parse(line))
}

it('puts the request id on every line a route writes', async () => {
  const lines = await logged((log) => {
    log.info({ a: 1 }, 'first')
    log.info({ a: 2 }, 'second')
    return {}
  })
  expect(lines).toMatchObject([
    { requestId: 'mine', a: 1, msg: 'first' },
    { requestId: 'mine', a: 2, msg: 'second' },
  ])
})

it('writes nothing about a request that went well, or that the caller got wrong', async () => {
  expect(await logged(() => ({}))).toEqual([])
  expect(await logged(() => ({}), '/api/v1/things?nope=1')).toEqual([])
})

it('writes an unexpected error with its request id and its path, without the query', async () => {
  const lines = await logged(() => {
    throw new Error('bug')
  }, '/api/v1/logged?email=person@acme.example')
  expect(lines).toMatchObject([
    { requestId: 'mine', msg: 'request failed', method: 'GET', path: '/api/v1/logged', err: { message: 'bug' } },
  ])
  expect(JSON.stringify(lines)).not.toContain('person')
})

it('writes of an outage one line a minute, with how many requests were answered so meanwhile', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const lines: { level: string; unsaid?: number }[] = []
  const log = logTo({ write: (line) => lines.push(JSON.parse(line)) }, 'info')
  const app = demoApp({ log }, (api) => {
    api.get('/api/v1/away', { config: { raw: true } }, async () => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
  })
  try {
    const ask = async () => expect((await app.inject({ url: '/api/v1/away', headers: acme })).statusCode).toBe(503)
    for (let n = 0; n < 20; n++) await ask()
    expect(lines).toMatchObject([{ level: 'warn', msg: expect.stringMatching(/^request answered 503/), path: '/api/v1/away' }])
    expect(lines[0]?.unsaid).toBeUndefined()
    vi.advanceTimersByTime(60_000)
    await ask()
    expect(lines.slice(1)).toMatchObject([{ unsaid: 19 }])
  } finally {
    vi.useRealTimers()
    await app.close()
  }
})
