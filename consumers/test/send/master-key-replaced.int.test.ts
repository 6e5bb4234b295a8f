import { createEventLog, type EventLog, type KeyRing, openKeyRing, upcasters } from '@tidings/codec'
import { rotateMasterKey } from '@tidings/codec/keys'
import { asMessageId, eventDeclarations, messageStream } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { admit, listDeadLetters, messageLane, SEND_KINDS } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase, until } from '@tidings/testing'
import { type SmtpSink, startSmtpSink } from '@tidings/testing/smtp-sink'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openRig, type Rig, WORKSPACE } from '../testing/rig.ts'

const OLD = '00'.repeat(32)

let db: TestDatabase
let sink: SmtpSink
let rig: Rig
let logs: EventLog[]
beforeEach(async () => {
  db = await testDatabase()
  sink = await startSmtpSink()
  rig = await openRig(db.pool)
  await rig.configureSender(true)
  logs = []
})
afterEach(async () => {
  await rig.close()
  await Promise.all(logs.map((log) => log.close()))
  await sink.stop()
  await db.drop()
})

const logWith = (keyRing: KeyRing): EventLog => {
  const log = createEventLog({
    store: postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS }),
    declarations: eventDeclarations,
    upcasters,
    keyRing,
  })
  logs.push(log)
  return log
}

const rotated = async (): Promise<string> => {
  let key = ''
  const onKey = (made: string) => {
    key = made
  }
  const nothing = async () => undefined
  await rotateMasterKey({ pool: db.pool, given: { masterKey: OLD }, onKey, onProgress: () => undefined, keep: nothing, onDone: nothing })
  return key
}

test('a worker that slept while the master key was replaced uses up no try of a mail, and another one sends it', async () => {
  const contactId = await rig.newContact('ada@example.com')
  const messageId = asMessageId(await rig.accept(contactId, {}))
  const [accepted] = await rig.log.readStream(WORKSPACE, messageStream(WORKSPACE, messageId))
  const asleep = await openKeyRing({ pool: db.pool, masterKey: OLD })
  const masterKey = await rotated()
  // The one that the consumer admits: another would be sent beside it.
  const job = { workspaceId: WORKSPACE, lane: messageLane(contactId, 'email'), seq: accepted?.position.commit ?? 0n, payload: messageId }
  await transaction(db.pool, (tx) => admit(tx, SEND_KINDS.email.transactional, [job]))
  const worker = await rig.consume(sink.url, { log: logWith(asleep) })
  await until(async () =>
    expect((await db.pool.query('select attempt, last_error from inbox.job')).rows).toEqual([
      { attempt: 0, last_error: expect.stringContaining('is wrapped by the master key') },
    ]),
  )
  await worker.stop()
  await rig.consume(sink.url, { log: logWith(await openKeyRing({ pool: db.pool, masterKey })) })
  await until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'MessageSent']))
  expect(sink.mails).toHaveLength(1)
  expect(await listDeadLetters(db.pool)).toEqual([])
})
