import type { EventLog } from '@tidings/codec'
import { asMessageId } from '@tidings/domain'
import { LogWentBack } from '@tidings/event-store'
import { DeliveryError, type EmailProvider } from '@tidings/providers'
import { type TestDatabase, testDatabase, until } from '@tidings/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { announceWaiting } from '../testing/make-due.ts'
import { openRig, type Rig } from '../testing/rig.ts'

let db: TestDatabase
let rig: Rig
beforeEach(async () => {
  db = await testDatabase()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
})
afterEach(async () => {
  await rig.close()
  await db.drop()
})

/** Takes the last event of the log away, as the restore of an older backup does. */
const takeLast = async (): Promise<void> => {
  const client = await db.pool.connect()
  await client.query('begin; set local es.allow_rewrite = on; create table taken as select * from es.event order by position desc limit 1')
  await client.query('delete from es.event where position = (select position from taken)')
  await client.query('commit')
  client.release()
}
const putBack = () => db.pool.query('insert into es.event select * from taken')

const jobs = async () =>
  (await db.pool.query<{ attempt: number; claimed: boolean }>('select attempt::int, token is not null as claimed from inbox.job')).rows

test('a mail whose log went back is neither sent nor given up, and is sent once when the log is back', async () => {
  let calls = 0
  const provider: EmailProvider = {
    name: 'hesitant',
    callMs: 20_000,
    send: async ({ messageId }, { fence }) => {
      await fence()
      calls += 1
      if (calls > 1) return { providerMessageId: messageId }
      await takeLast()
      throw new DeliveryError('temporary', 'later')
    },
    outage: () => null,
    close: async () => undefined,
  }
  let unread = 0
  const readStream: EventLog['readStream'] = async (workspaceId, stream, options) => {
    try {
      return await rig.log.readStream(workspaceId, stream, options)
    } catch (error) {
      if (stream.startsWith('message-')) unread += 1
      throw error
    }
  }
  await rig.consume('outbox', { email: provider, retryDelaysMs: [0, 0, 0], log: { ...rig.log, readStream } })
  const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
  // Tried again, and claimed by a worker that cannot read what became of it.
  await until(async () => expect(await jobs()).toEqual([{ attempt: 1, claimed: true }]))
  await until(() => expect(unread).toBeGreaterThan(0))
  await expect(rig.log.head()).rejects.toThrow(LogWentBack)
  expect(calls).toBe(1)
  await putBack()
  // Another worker might record something yet: the job waits for it.
  await until(async () => expect(await jobs()).toEqual([{ attempt: 1, claimed: false }]))
  await db.pool.query('update inbox.job set due_at = now()')
  await announceWaiting(db.pool)
  await until(async () => expect((await rig.messageOf(messageId)).status).toBe('sent'))
  expect(calls).toBe(2)
})
