import { uuidv7 } from '@tidings/codec'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { waitForProcesses } from '@tidings/projections'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { type Installation, install } from './support/installation.ts'
import type { ServiceProcess } from './support/service-process.ts'

/** An older process beside a newer one, which writes into the same log. */
let database: TestDatabase
let installation: Installation
let service: ServiceProcess
let acme: Client
beforeAll(async () => {
  database = await testDatabase()
  installation = await install(database.url, { TIDINGS_EVENT_STORE: 'postgres', TIDINGS_KAFKA_BROKERS: '' })
  service = await installation.start()
  // What is written here stays pending: the reads stand before the event of the next version.
  const { applied } = await installation.workspace('acme')
  acme = clientOf({ url: service.url, applied })
})
afterAll(async () => {
  await service.end('SIGTERM')
  await installation.close()
  await database.drop()
})

const group = async () => {
  const { rows } = await installation.pool.query<{ at: bigint; held: boolean }>(
    `select position_commit as at, lease_until > clock_timestamp() as held from ops.consumer_checkpoint where consumer_group = 'send-email'`,
  )
  return rows[0]
}

/** The event as the version after this one writes it. */
const acceptedByTheNext = async () => {
  const store = postgresEventStore({ pool: installation.pool, appendDeadlineMs: PATIENT_MS })
  const id = uuidv7()
  const workspaceId = acme.applied.workspace.id
  const meta = { workspaceId, actor: 'key:1', requestId: 'r', schemaVersion: 99, at: '2026-11-22T12:00:00.000Z' }
  const event = { id: uuidv7(), type: 'EmailAccepted', data: JSON.stringify({ messageId: id }), meta: JSON.stringify(meta) }
  const { position } = await store.append(`message-${workspaceId}-${id}`, 'no_stream', [event])
  await store.close()
  return position.commit
}

it('leaves mail that the next version accepted, and all behind it, to the next version, and is not ready meanwhile', async () => {
  const position = await acceptedByTheNext()
  const id = await acme.send('behind-it@example.com')
  const stands = [
    `send-email stands before EmailAccepted version 99 at ${position}/0, which a newer version wrote: start that version`,
    'messages is failed',
  ]
  const received = await eventually(
    async () => await (await fetch(`${service.url}/health/ready`)).text(),
    (text) => stands.every((said) => text.includes(said)),
  )
  for (const part of ['"consumers"', '"projections"']) expect(received).toContain(part)
  const free = await eventually(group, (row) => row?.held === false)
  expect(free?.at).toBeLessThan(position)
  expect((await acme.request('GET', `/public/messages/${id}`)).status).toBe(404)
  expect((await installation.pool.query('select 1 from ops.dead_letter')).rows).toEqual([])
  expect((await fetch(`${service.url}/health/live`)).status).toBe(200)
  // It uses no cache, so that a command of the newer version does not wait for it in vain (ADR 10).
  expect(await waitForProcesses(installation.pool, { commit: position, prepare: 0n })).toBe(true)
})
