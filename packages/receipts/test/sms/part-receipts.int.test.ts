import { asMessageId, contactSubject } from '@tidings/domain'
import type { PartReceipt } from '@tidings/providers'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { type Smsc, startSmsc } from '@tidings/testing/smsc'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { deleteOldParts, storeParts } from '../../src/sms/part-store.ts'
import { LONG, openProcess, receiptOf, SMSC, WORKSPACE } from './part-receipts.testing.ts'

const LATER = 0x64

let db: TestDatabase
let server: Smsc
let one: Awaited<ReturnType<typeof openProcess>>
let other: Awaited<ReturnType<typeof openProcess>> | null
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())
beforeEach(async () => {
  await db.pool.query('truncate ops.sms_part')
  server = await startSmsc()
  one = await openProcess(db.pool, server.url)
  other = null
})
afterEach(async () => {
  await one.close()
  await other?.close()
  await server.stop()
})

const deliver = (id: string, stat = 'DELIVRD', from?: string) => server.deliver(receiptOf(id, stat, from))

describe('the receipts of a message of several parts', () => {
  test('deliver it once all are, over a restart, and twice changes nothing', async () => {
    const sms = await one.accept()
    await one.send(sms, LONG)
    for (const id of ['smsc-2', 'smsc-0', 'smsc-0']) expect(await deliver(id)).toBe(0)
    expect(await one.statusOf(sms.messageId)).toBe('queued')
    await one.close()
    one = await openProcess(db.pool, server.url)
    // The provider binds at once; a send waits until it has.
    await one.send(await one.accept())
    expect(await deliver('smsc-0')).toBe(0)
    expect(await one.statusOf(sms.messageId)).toBe('queued')
    expect(await deliver('smsc-1')).toBe(0)
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
    for (const id of ['smsc-0', 'smsc-1', 'smsc-2']) await deliver(id)
    expect(await one.typesOf(sms.messageId)).toEqual(['SmsAccepted', 'MessageDelivered', 'MessageReceiptIgnored'])
  })

  test('may reach another process than the one that sent it', async () => {
    const sms = await one.accept()
    await one.send(sms, LONG)
    await deliver('smsc-1')
    other = await openProcess(db.pool, server.url)
    await other.send(await other.accept())
    for (const id of ['smsc-2', 'smsc-0']) expect(await deliver(id)).toBe(0)
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('that come at the same moment in two processes deliver it', async () => {
    other = await openProcess(db.pool, server.url)
    for (let n = 0; n < 20; n++) {
      const { messageId } = await one.accept()
      await storeParts(db.pool, { workspaceId: WORKSPACE, messageId, partIds: [`a${n}-x`, `b${n}-x`] }, SMSC)
      await Promise.all([one.take(delivered(`a${n}-x`)), other.take(delivered(`b${n}-x`))])
      expect(await one.statusOf(messageId)).toBe('delivered')
    }
  })

  test('fail it when one part has failed, whatever the others say', async () => {
    const sms = await one.accept()
    await one.send(sms, LONG)
    await deliver('smsc-1', 'EXPIRED')
    for (const id of ['smsc-0', 'smsc-1', 'smsc-2']) await deliver(id)
    expect(await one.statusOf(sms.messageId)).toBe('failed')
  })

  test('are enough of every part that has an id, where the SMSC gave one none', async () => {
    server.rules.id = (n) => (n === 1 ? '' : `Part-${n}`)
    const sms = await one.accept()
    await one.send(sms, LONG)
    await deliver('part-0')
    expect(await one.statusOf(sms.messageId)).toBe('queued')
    await deliver('PART-2')
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('in any order, with repetitions, leave the first final status', async () => {
    const ids = ['one', 'two', 'three']
    const receipt = fc.record({ id: fc.constantFrom(...ids), status: fc.constantFrom('sent', 'delivered', 'delivered', 'failed') })
    let runs = 0
    await fc.assert(
      fc.asyncProperty(fc.array(receipt, { maxLength: 12 }), async (receipts) => {
        const { messageId } = await one.accept()
        runs++
        await storeParts(db.pool, { workspaceId: WORKSPACE, messageId, partIds: ids.map((id) => `${id}-${runs}-x`) }, SMSC)
        const done = new Set<string>()
        let expected = 'queued'
        for (const { id, status } of receipts) {
          await one.take({ partId: `${id}-${runs}-x`, status, reason: null, detail: null, numbers: [] } as PartReceipt)
          if (status === 'delivered') done.add(id)
          if (expected === 'queued' && status === 'failed') expected = 'failed'
          if (expected === 'queued' && done.size === ids.length) expected = 'delivered'
        }
        expect(await one.statusOf(messageId)).toBe(expected)
      }),
      { numRuns: 60 },
    )
  })
})

const delivered = (partId: string, numbers: readonly string[] = []): PartReceipt => ({
  partId,
  status: 'delivered',
  reason: null,
  detail: null,
  numbers,
})

describe('a receipt', () => {
  test('that comes before the answer to its submit finds its message', async () => {
    let answered: Promise<number> = Promise.resolve(-1)
    server.rules.submit = ({ id }) => {
      answered = deliver(id)
      return 0
    }
    const sms = await one.accept()
    await one.send(sms)
    expect(await answered).toBe(0)
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('of a message whose sender died before it had recorded the answer is applied', async () => {
    const sms = await one.accept()
    await one.send(sms)
    await deliver('smsc-0')
    expect(await one.typesOf(sms.messageId)).toEqual(['SmsAccepted', 'MessageDelivered'])
  })

  test.each([
    ['1a2b3c', '1715004'],
    ['1715004', '1a2b3c'],
    ['1A2B3C', '1a2b3c'],
    ['0000012345', '12345'],
    ['12345', '0000012345'],
  ])('of the id %s may say %s', async (id, said) => {
    server.rules.id = () => id
    const sms = await one.accept()
    await one.send(sms)
    await deliver(said)
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('whose id is another message in hexadecimal is of the message with that number', async () => {
    const ids = ['16', '10']
    server.rules.id = (n) => ids[n] ?? ''
    const sixteen = await one.accept('+491700000016')
    const ten = await one.accept('+491700000010')
    await one.send(sixteen)
    await one.send(ten)
    expect(await deliver('a', 'DELIVRD', '491709999999')).toBe(LATER)
    await deliver('16', 'DELIVRD', '01700000010')
    expect([await one.statusOf(sixteen.messageId), await one.statusOf(ten.messageId)]).toEqual(['queued', 'delivered'])
    await deliver('16', 'DELIVRD', '491700000016')
    expect(await one.statusOf(sixteen.messageId)).toBe('delivered')
  })

  test('whose id two SMSCs gave is of the message with that number, else of none', async () => {
    const [older, newer] = [await one.accept('+491700000001'), await one.accept('+491700000002')]
    for (const { messageId } of [older, newer]) await storeParts(db.pool, { workspaceId: WORKSPACE, messageId, partIds: ['77-x'] }, SMSC)
    await one.take(delivered('77-x', ['491700000001', 'Acme']))
    expect([await one.statusOf(older.messageId), await one.statusOf(newer.messageId)]).toEqual(['delivered', 'queued'])
    // A stranger's number, none at all, and one that only ends alike in its last seven digits.
    for (const numbers of [['491709999999', 'Acme'], [], ['390000000002', 'Acme']])
      expect(await one.take(delivered('77-x', numbers))).toBeNull()
    expect(await one.statusOf(newer.messageId)).toBe('queued')
    await one.take(delivered('77-x', ['Acme', '01700000002']))
    expect(await one.statusOf(newer.messageId)).toBe('delivered')
  })

  test('whose id two SMSCs gave to the same number is of the one that reports, whichever message is newer', async () => {
    const [ours, others] = [await one.accept(), await one.accept()]
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: ours.messageId, partIds: ['5'] }, SMSC)
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: others.messageId, partIds: ['5'] }, 'other.example:2775')
    await one.take(delivered('5', ['491701234567', 'Acme']))
    expect([await one.statusOf(ours.messageId), await one.statusOf(others.messageId)]).toEqual(['delivered', 'queued'])
  })

  test('of an SMSC that is configured under another name by now finds its message', async () => {
    const sms = await one.accept()
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: ['renamed-x'] }, 'before.example:2775')
    await one.take(delivered('renamed-x', ['491701234567', 'Acme']))
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('whose id came again is of the newest message to that number, and of none that is older than a week', async () => {
    const [first, second, long] = [await one.accept(), await one.accept(), await one.accept('+491700000003')]
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: first.messageId, partIds: ['78-x'] }, SMSC)
    await db.pool.query(`update ops.sms_part set at = now() - interval '1 day'`)
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: long.messageId, partIds: ['79-x'] }, SMSC)
    await db.pool.query(`update ops.sms_part set at = now() - interval '8 days' where part_id = '79-x'`)
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: second.messageId, partIds: ['78-x'] }, SMSC)
    await one.take(delivered('78-x', ['491701234567', 'Acme']))
    expect([await one.statusOf(first.messageId), await one.statusOf(second.messageId)]).toEqual(['queued', 'delivered'])
    expect(await one.take(delivered('79-x', ['491700000003', 'Acme']))).toBeNull()
  })

  test('of one message whose id another to the same number has in hexadecimal is of neither', async () => {
    const [decimal, hex] = [await one.accept(), await one.accept()]
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: decimal.messageId, partIds: ['16'] }, SMSC)
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: hex.messageId, partIds: ['10'] }, SMSC)
    expect(await one.take(delivered('16', ['491701234567', 'Acme']))).toBeNull()
    expect([await one.statusOf(decimal.messageId), await one.statusOf(hex.messageId)]).toEqual(['queued', 'queued'])
  })

  test('of two to one number is of the one whose sender’s own number it names', async () => {
    const [named, numbered] = [await one.accept(), await one.accept('+491701234567', 'SHOPTEL')]
    await one.setNumber('ShopTel', '+972501110000')
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: named.messageId, partIds: ['16'] }, SMSC)
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: numbered.messageId, partIds: ['10'] }, SMSC)
    expect(await one.take(delivered('16', ['491701234567', '972509999999']))).toBeNull()
    expect(await one.take(delivered('16', ['491701234567', '+972501110000']))).toBe('applied')
    expect([await one.statusOf(named.messageId), await one.statusOf(numbered.messageId)]).toEqual(['queued', 'delivered'])
  })

  test.each([
    ['delivered', null, 'delivered'],
    ['failed', 'invalid_address', 'failed'],
    ['failed', 'sms_stop', 'failed'],
  ] as const)('that says %s (%s) of the number that a message was readdressed to is of that message', async (status, reason, becomes) => {
    const sms = await one.accept()
    await one.readdress(sms, '+491609999999')
    await one.readdress(sms, '+491608888888')
    const partId = `moved-${status}-${reason}`
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: [partId] }, SMSC)
    const receipt = { partId, status, reason, detail: null }
    expect(await one.take({ ...receipt, numbers: ['491607777777', 'Acme'] })).toBeNull()
    expect(await one.take({ ...receipt, numbers: ['491608888888', 'Acme'] })).toBe('applied')
    expect(await one.statusOf(sms.messageId)).toBe(becomes)
  })

  test('that names a number which the message was readdressed from says nothing of the one that it is for', async () => {
    const sms = await one.accept()
    await one.readdress(sms, '+491609999999')
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: ['early-x', 'later-x'] }, SMSC)
    await one.take({ partId: 'early-x', status: 'failed', reason: 'invalid_address', detail: null, numbers: ['01701234567', 'Acme'] })
    expect(await one.typesOf(sms.messageId)).toEqual(['SmsAccepted', 'MessageReaddressed', 'MessageReceiptIgnored'])
    await one.take({ partId: 'later-x', status: 'failed', reason: 'invalid_address', detail: null, numbers: ['491609999999', 'Acme'] })
    expect(await one.statusOf(sms.messageId)).toBe('failed')
  })

  test.each(['49170****567', '+49170***567', '0170*****67', 'XXXXXXXX4567', '4917xxxx4567', '##########67', '49?????????7'])(
    'that shows %s of its number is of the message with that id, where its number may be that',
    async (shown) => {
      const partId = `masked-${shown}`
      const [sms, other] = [await one.accept(), await one.accept('+972501234111')]
      await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: other.messageId, partIds: [`other-${shown}`] }, SMSC)
      await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: [partId] }, SMSC)
      expect(await one.take(delivered(`other-${shown}`, [shown, 'Acme']))).toBeNull()
      expect(await one.take(delivered(partId, [shown, 'Acme']))).toBe('applied')
      expect([await one.statusOf(other.messageId), await one.statusOf(sms.messageId)]).toEqual(['queued', 'delivered'])
    },
  )

  test('that shows digits which two people of one id have is of neither, and of the one who alone has them', async () => {
    const [first, second] = [await one.accept('+491701234567'), await one.accept('+491701239567')]
    for (const { messageId } of [first, second]) await storeParts(db.pool, { workspaceId: WORKSPACE, messageId, partIds: ['80-x'] }, SMSC)
    expect(await one.take(delivered('80-x', ['49170****567', 'Acme']))).toBeNull()
    expect(await one.take(delivered('80-x', ['********9567', 'Acme']))).toBe('applied')
    expect([await one.statusOf(first.messageId), await one.statusOf(second.messageId)]).toEqual(['queued', 'delivered'])
  })

  test('that shows digits of two numbers which one message was for says nothing of either', async () => {
    const sms = await one.accept()
    await one.readdress(sms, '+491701239567')
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: ['81-x'] }, SMSC)
    const failed = { partId: '81-x', status: 'failed', reason: 'invalid_address', detail: null } as const
    expect(await one.take({ ...failed, numbers: ['49170****567', 'Acme'] })).toBeNull()
    await one.take({ ...failed, numbers: ['*******4567', 'Acme'] })
    expect(await one.typesOf(sms.messageId)).toEqual(['SmsAccepted', 'MessageReaddressed', 'MessageReceiptIgnored'])
  })

  test('of no message is asked for once more, and then dropped with a warning', async () => {
    await one.send(await one.accept())
    expect(await deliver('forged')).toBe(LATER)
    expect(await deliver('forged')).toBe(0)
    expect(one.warnings).toEqual(['A receipt was dropped: no message has its id.'])
  })

  test('that could not be recorded is recorded when it comes again', async () => {
    const sms = await one.accept()
    await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: sms.messageId, partIds: ['p-x', 'q-x'] }, SMSC)
    await one.take(delivered('p-x'))
    const failing = { execute: () => Promise.reject(new Error('the log is away')) }
    await expect(one.take(delivered('q-x'), failing)).rejects.toThrow('the log is away')
    expect(await one.take(delivered('q-x'))).toBe('applied')
    expect(await one.statusOf(sms.messageId)).toBe('delivered')
  })

  test('of an erased person’s message is applied by its exact id', async () => {
    const sms = await one.accept()
    await one.send(sms)
    await one.keyRing.shred(WORKSPACE, contactSubject(sms))
    await deliver('smsc-0', 'UNDELIV')
    expect(await one.statusOf(sms.messageId)).toBe('failed')
  })
})

test('parts are deleted after seven days', async () => {
  await storeParts(db.pool, { workspaceId: WORKSPACE, messageId: asMessageId(crypto.randomUUID()), partIds: ['old', 'older', 'new'] }, SMSC)
  await db.pool.query(`update ops.sms_part set at = now() - interval '8 days' where part_id <> 'new'`)
  expect([await deleteOldParts(db.pool, 1), await deleteOldParts(db.pool, 10), await deleteOldParts(db.pool, 10)]).toEqual([1, 1, 0])
  expect((await db.pool.query('select part_id from ops.sms_part')).rows).toEqual([{ part_id: 'new' }])
})
