import { asMessageId, type MessageEvent, type MessageId, messageStream } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS } from '@tidings/testing'
import type { PoolClient } from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Client, clientOf } from './support/client.ts'
import { eventually } from './support/eventually.ts'
import { PROVIDER_SECRET, signed } from './support/receipts.ts'
import { startWorld, type World } from './support/world.ts'

const UNKNOWN = '00000000-0000-7000-8000-000000000000'

let world: World
let early: Client
let holdRows: PoolClient

beforeAll(async () => {
  world = await startWorld({ TIDINGS_PROVIDER_SECRET: PROVIDER_SECRET })
  const { applied } = await world.workspace('early')
  // This client does not wait for reads, which show nothing here.
  early = clientOf({ url: world.url, applied })
})
afterAll(() => world.stop())
/** The projection of messages can write nothing, as when it is far behind; what is there can be read. */
beforeEach(async () => {
  holdRows = await world.stores.pool.connect()
  await holdRows.query('begin')
  await holdRows.query('lock table read.messages in exclusive mode')
})
afterEach(async () => {
  await holdRows.query('rollback')
  holdRows.release()
})

const receipts = async (events: readonly object[]) => {
  const body = JSON.stringify(events)
  const headers = { 'Content-Type': 'application/json', 'X-Tidings-Signature': signed(body) }
  const response = await fetch(`${world.url}/api/v1/providers/email/events`, { method: 'POST', headers, body })
  return { status: response.status, retryAfter: response.headers.get('retry-after'), body: (await response.json()) as object }
}
const historyOf = (messageId: MessageId) =>
  world.stores.log.readStream<MessageEvent>(early.applied.workspace.id, messageStream(early.applied.workspace.id, messageId))
/** Sent, by the log: the read side does not know of it. */
const sentUnseen = async (to: string) => {
  const messageId = asMessageId(await early.send(to))
  const history = await eventually(
    () => historyOf(messageId),
    (events) => events.some(({ type }) => type === 'MessageSent'),
  )
  const providerMessageId = history.flatMap((event) => (event.type === 'MessageSent' ? [event.data.providerMessageId] : []))[0]
  return { messageId, providerMessageId }
}
const catchUp = () => holdRows.query('rollback')

describe('a receipt that comes before the read side shows its message', () => {
  it('by the id of the provider is taken', async () => {
    const { messageId, providerMessageId } = await sentUnseen('by-provider@early.example')
    expect(await receipts([{ type: 'bounced', providerMessageId }])).toMatchObject({ status: 200, body: { applied: 1, unknown: 0 } })
    await catchUp()
    expect(await early.messageWith(messageId, 'bounced')).toMatchObject({ failureReason: 'hard_bounce' })
  })

  it('by our id is asked for again, and taken once it is shown; the others of its body are taken at once', async () => {
    const { messageId } = await sentUnseen('by-id@early.example')
    const other = await sentUnseen('other@early.example')
    const events = [
      { type: 'complained', messageId },
      { type: 'delivered', providerMessageId: other.providerMessageId },
    ]
    expect(await receipts(events)).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) })
    expect((await historyOf(asMessageId(other.messageId))).map(({ type }) => type)).toContain('MessageDelivered')
    await catchUp()
    await early.messageWith(messageId, 'sent')
    expect(await receipts(events)).toMatchObject({ status: 200, body: { unknown: 0 } })
    await early.messageWith(messageId, 'complained')
  })

  it('by the id that mail had before it carried the workspace is not thrown away either', async () => {
    const { messageId } = await sentUnseen('old-id@early.example')
    const events = [{ type: 'bounced', providerMessageId: `<${messageId}@mail.early.example>` }]
    expect(await receipts(events)).toMatchObject({ status: 503 })
    await catchUp()
    await early.messageWith(messageId, 'sent')
    expect(await receipts(events)).toMatchObject({ status: 200, body: { applied: 1, unknown: 0 } })
  })

  it('by our id is taken where the projection of messages could not apply the message', async () => {
    const { messageId } = await sentUnseen('parked@early.example')
    const stream = messageStream(early.applied.workspace.id, asMessageId(messageId))
    await world.stores.pool.query(
      `insert into ops.parked_stream (projection, stream, revision, position_commit, position_prepare, event_id, event_type, workspace_id, error)
       values ('messages', $1, 0, 0, 0, $2, 'EmailAccepted', $3, 'for a test')`,
      [stream, crypto.randomUUID(), early.applied.workspace.id],
    )
    expect(await receipts([{ type: 'bounced', messageId }])).toMatchObject({ status: 200, body: { applied: 1, unknown: 0 } })
    await world.stores.pool.query('delete from ops.parked_stream where stream = $1', [stream])
  })

  it('through the development outbox is taken', async () => {
    const { messageId } = await sentUnseen('outbox@early.example')
    const { rows } = await world.stores.pool.query<{ id: string }>('select id from outbox.message where message_id = $1', [messageId])
    const response = await fetch(`${world.url}/dev/outbox/${rows[0]?.id}/report`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ status: 'complained' }),
    })
    expect(await response.json()).toEqual({ outcome: 'applied' })
    await catchUp()
    await early.messageWith(messageId, 'complained')
  })

  it('but names a message that the log has never seen is counted, as soon as that is known', async () => {
    await catchUp()
    expect(await receipts([{ type: 'bounced', messageId: UNKNOWN }])).toMatchObject({ status: 200, body: { applied: 0, unknown: 1 } })
  })
})

describe('a receipt for a message whose history cannot be read', () => {
  it('keeps none of its body from being taken', async () => {
    const broken = await sentUnseen('broken@early.example')
    const other = await sentUnseen('behind@early.example')
    const stream = messageStream(early.applied.workspace.id, asMessageId(broken.messageId))
    const foreign = { id: crypto.randomUUID(), type: 'Foreign', data: '{}', meta: '{}' }
    const store = postgresEventStore({ pool: world.stores.pool, appendDeadlineMs: PATIENT_MS })
    await store.append(stream, 'any', [foreign])
    await store.close()
    const events = [broken, other].map(({ providerMessageId }) => ({ type: 'delivered', providerMessageId }))
    expect(await receipts(events)).toMatchObject({ status: 500 })
    expect((await historyOf(asMessageId(other.messageId))).map(({ type }) => type)).toContain('MessageDelivered')
  })
})
