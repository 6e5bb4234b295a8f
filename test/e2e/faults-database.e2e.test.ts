import { startTestPostgres, type TestPostgres } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Client } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'

let postgres: TestPostgres
let sink: SmtpSink
let installation: Installation
let service: ServiceProcess
let acme: Client
beforeAll(async () => {
  postgres = await startTestPostgres()
  sink = await startSmtpSink()
  const waits = Array.from({ length: 60 }, () => '1').join(',')
  installation = await install(postgres.url, {
    TIDINGS_EMAIL_PROVIDER: sink.url,
    TIDINGS_SEND_RETRY_SECONDS: waits,
    TIDINGS_DATABASE_WAIT_MS: '5000',
    // What is kept for ever, or without bound, ends the process here.
    NODE_OPTIONS: '--max-old-space-size=160',
  })
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service.end('SIGTERM')
  await installation.close()
  await sink.stop()
  await postgres.stop()
})

const ready = async () => {
  const response = await fetch(`${service.url}/health/ready`)
  return { status: response.status, text: await response.text() }
}

const create = (email: string, notes = ''): Promise<Answer> => acme.request('POST', '/public/profiles', { email, notes })

describe('a database that goes away under a running service', () => {
  let waiting: readonly string[]
  beforeAll(async () => {
    // Accepted, tried, and waiting for the provider while the database goes.
    await sink.stop()
    waiting = await Promise.all(Array.from({ length: 6 }, (_, n) => acme.send(`waiting-${n}@example.com`)))
    await create('before@example.com')
    await postgres.kill()
  })

  it('is named by the readiness check, while the process lives on', async () => {
    // An answer that was being made while it went may name only what asked it last.
    const { status } = await eventually(ready, ({ text }) => text.includes('database'))
    expect(status).toBe(503)
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
  })

  it('makes every request a 503 that says when to come back', async () => {
    const answers = await Promise.all([
      create('away@example.com'),
      acme.request('GET', '/public/profiles'),
      acme.request('GET', '/public/templates'),
      acme.request('PUT', '/public/profiles', { email: 'before@example.com' }, { 'Idempotency-Key': 'away' }),
      acme.request('POST', '/public/messages/email', { to: 'a@example.com', fromEmail: acme.fromEmail, subject: 's', html: 'h' }),
    ])
    for (const { status, headers, body } of answers) {
      expect({ status, body, retryAfter: headers.get('retry-after') }).toEqual({
        status: 503,
        body: { success: false, message: 'Service temporarily unavailable, try again later' },
        retryAfter: expect.stringMatching(/^\d+$/),
      })
    }
  })

  it('fills no memory with requests that cannot be served: a heap of 160 MB outlives 360 MB of them', async () => {
    const notes = 'n'.repeat(4_000)
    const html = 'h'.repeat(200_000)
    for (let round = 0; round < 12; round++) {
      const sends = Array.from({ length: 150 }, (_, n) =>
        acme.request('POST', '/public/messages/email', { to: `m-${n}@example.com`, fromEmail: acme.fromEmail, subject: 's', html }),
      )
      const writes = Array.from({ length: 150 }, (_, n) => create(`memory-${round}-${n}@example.com`, notes))
      for (const { status } of await Promise.all([...sends, ...writes])) expect(status).toBe(503)
    }
    expect(service.ended()).toBe(false)
  })

  it('is served again once it is back, by the same process, with everything that waited', async () => {
    const { pid } = service
    await postgres.start()
    await service.ready()
    await sink.start()
    for (const id of waiting) await acme.messageWith(id, 'sent')
    expect((await acme.request('GET', '/public/profiles/lookup?email=before@example.com')).status).toBe(200)
    const written = await create('after@example.com')
    expect(written.status).toBe(201)
    await acme.messageWith(await acme.send('after@example.com'), 'sent')
    expect({ pid: service.pid, ended: service.ended() }).toEqual({ pid, ended: false })
  })

  it('is followed again by caches and projections', async () => {
    const made = (await installation.tidings(['api-key', 'create', '--workspace', 'acme'])) as { id: string; key: string }
    const me = () => acme.request('GET', '/public/me', undefined, { 'X-API-Key': made.key })
    expect((await me()).status).toBe(200)
    await installation.tidings(['api-key', 'revoke', made.id])
    expect((await me()).status).toBe(401)
    const { items } = (await installation.tidings(['projection', 'list'])) as {
      items: readonly { state: string; lag: { events: number } }[]
    }
    expect(items.map(({ state }) => state)).toEqual(items.map(() => 'live'))
  })
})
