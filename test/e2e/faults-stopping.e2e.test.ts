import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Client } from './support/client.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'

let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url)
  service = await installation.start()
  acme = await installation.workspace('acme')
})
afterAll(async () => {
  await service.end('SIGTERM')
  await installation.close()
  await database.drop()
})

const listens = async (url: string): Promise<boolean> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  const opened = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  socket.destroy()
  return opened
}

const livingProcesses = async (): Promise<unknown> =>
  (await installation.pool.query('select count(*)::int as living from ops.process')).rows[0]

/** Sends without a pause until it is not answered any more; tells each answer. */
const sendUntilRefused = async (name: string, answered: (id: string) => void): Promise<void> => {
  for (let n = 0; ; n++) {
    const id = await acme.send(`${name}-${n}@example.com`).catch(() => null)
    if (id === null) return
    answered(id)
  }
}

describe('a service that is asked to stop', () => {
  it('ends with 0, having kept everything it answered, and the next start sends it', async () => {
    const ids: string[] = []
    const clients = Array.from({ length: 24 }, (_, n) => sendUntilRefused(`stop-${n}`, (id) => ids.push(id)))
    while (ids.length < 48) await sleep(5)
    const ended = await service.end('SIGTERM')
    await Promise.all(clients)
    // 1 is what it ends with when it could not finish within 10 s.
    expect(ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(await livingProcesses()).toEqual({ living: 0 })
    service = await installation.start()
    for (const id of ids) await acme.messageWith(id, 'sent')
    expect(ids.length).toBeGreaterThanOrEqual(48)
  })

  it('finishes a request whose body is still on its way', async () => {
    const socket = connect(Number(installation.env.PORT), '127.0.0.1')
    const body = JSON.stringify({ email: 'slow@example.com' })
    const head = [
      'POST /api/v1/public/profiles HTTP/1.1',
      'Host: localhost',
      `X-Sender-Tenant: ${acme.slug}`,
      `X-API-Key: ${acme.key}`,
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
    ]
    let answer = ''
    socket.setEncoding('utf8').on('data', (text: string) => {
      answer += text
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 5)}`)
    // This request is behind it on another connection: when it is answered, the first bytes of the other were read.
    await acme.request('GET', '/public/me')
    const ending = service.end('SIGTERM')
    while (await listens(service.url)) await sleep(20)
    socket.write(body.slice(5))
    await once(socket, 'close')
    expect(answer).toMatch(/^HTTP\/1\.1 201 /)
    expect(await ending).toMatchObject({ code: 0 })
    service = await installation.start()
    expect((await acme.request('GET', '/public/profiles/lookup?email=slow@example.com')).status).toBe(200)
  })

  it('stops with the process that npm start began, when that one alone is asked to', async () => {
    await service.end('SIGTERM')
    service = await installation.start(['npm', 'start', '--silent', '--ignore-scripts'])
    const id = await acme.send('npm@example.com')
    await service.end('SIGTERM')
    expect(await listens(service.url)).toBe(false)
    expect(await livingProcesses()).toEqual({ living: 0 })
    service = await installation.start()
    await acme.messageWith(id, 'sent')
  })
})
