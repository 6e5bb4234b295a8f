import { logTo } from '@tidings/observability/log'
import { expect, it } from 'vitest'
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
