import type { EventLog } from '@tidings/codec'
import { asContactId, asMessageId } from '@tidings/domain'
import { admit, EMAIL_OUTCOME, listDeadLetters, SEND_KINDS } from '@tidings/jobs'
import { transaction } from '@tidings/postgres'
import { until } from '@tidings/testing'
import { expect, test } from 'vitest'
import { makeAllDue } from '../testing/make-due.ts'
import { recordingLogger } from '../testing/recording-logger.ts'
import { WORKSPACE } from '../testing/rig.ts'
import { db, rig, setUpSending, sink } from '../testing/sending.ts'

setUpSending()

test('a log that does not show a message yet is asked again, and the mail is sent', async () => {
  const messageId = asMessageId(await rig.accept(await rig.newContact('ada@example.com'), {}))
  let isStale = true
  const readStream = ((workspaceId, stream, options) =>
    isStale && stream.startsWith('message-')
      ? Promise.resolve([])
      : rig.log.readStream(workspaceId, stream, options)) as EventLog['readStream']
  const faults: unknown[] = []
  await rig.consume(sink.url, { log: { ...rig.log, readStream }, logger: recordingLogger(faults) })
  await until(async () =>
    expect((await db.pool.query('select attempt, last_error from inbox.job')).rows).toEqual([
      { attempt: 1, last_error: `the log does not show the message ${messageId}, which a job is about` },
    ]),
  )
  expect(faults).toMatchObject([{ message: expect.stringContaining(messageId) }])
  isStale = false
  await makeAllDue(db.pool)
  await until(async () => expect(await rig.eventsOf(messageId)).toEqual(['EmailAccepted', 'MessageSent']))
  expect(sink.mails).toHaveLength(1)
})

test.each([SEND_KINDS.email.transactional, EMAIL_OUTCOME])(
  'a job of %s about a message that is nowhere ends in the dead letters',
  async (kind) => {
    const payload = kind === SEND_KINDS.email.transactional ? asContactId(crypto.randomUUID()) : asContactId(`${crypto.randomUUID()}@1`)
    await transaction(db.pool, (tx) => admit(tx, kind, [{ workspaceId: WORKSPACE, lane: 'x', seq: 1n, payload }]))
    await rig.consume(sink.url)
    await until(async () => {
      await makeAllDue(db.pool)
      expect(await listDeadLetters(db.pool)).toMatchObject([
        { source: 'job', consumer: kind, payload, errorClass: 'MessageMissing', attempts: 5 },
      ])
    })
    expect(sink.mails).toEqual([])
  },
)
