import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import {
  asContactId,
  asMessageId,
  asWorkspaceId,
  eventDeclarations,
  INSTALLATION,
  type MessageCommand,
  message,
  messageStream,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { rebuild } from '@tidings/projections'
import { projections } from '@tidings/projectors'
import { findAddressee, findingAddressee } from '@tidings/receipts'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

const [one, other] = [asWorkspaceId(uuidv7()), asWorkspaceId(uuidv7())]
const phone = '+972501234567'
const number = '+972509990000'
const times = { first: '2026-01-01T10:00:00.000Z', second: '2026-01-02T10:00:00.000Z', third: '2026-01-03T10:00:00.000Z' }

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

let log: ReturnType<typeof createEventLog>
let runner: CommandRunner
beforeEach(() => {
  log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  runner = createCommandRunner({ log, deadlineMs: PATIENT_MS })
})

const contextOf = (workspaceId: WorkspaceId, at: string) => ({ commandId: uuidv7(), workspaceId, actor: 'test', requestId: 'r', at })

const writes = async (
  workspaceId: WorkspaceId,
  { from, at, to = phone }: Readonly<{ from: string; at: string; to?: string }>,
): Promise<void> => {
  const messageId = asMessageId(uuidv7())
  const sms = { to, from, body: 'Hi', credits: 1, segments: 1, templateId: null, kind: 'transactional' as const }
  const commands: readonly MessageCommand[] = [
    { type: 'AcceptSms', data: { messageId, contactId: asContactId(uuidv7()), ...sms } },
    { type: 'RecordSent', data: { provider: 'test', providerMessageId: messageId } },
  ]
  for (const command of commands)
    await runner.execute({ decider: message, stream: messageStream(workspaceId, messageId), command, context: contextOf(workspaceId, at) })
}

const assigns = (workspaceId: WorkspaceId, senderId: string, at: string) =>
  runner.execute({
    decider: senderNumbers,
    stream: senderNumbersStream(),
    command: { type: 'AssignSenderNumbers', data: { workspaceId, numbers: [{ senderId, number }] } },
    context: contextOf(INSTALLATION, at),
  })

/** As a process finds it that has done nothing of the above. */
const find = async (from: string, to: string) => {
  for (const projection of projections)
    if (projection.name === 'sms_recipients') await rebuild({ projection, log, pool: db.pool, page: 100 })
  const finding = findingAddressee({
    runner: createCommandRunner({ log, deadlineMs: PATIENT_MS }),
    pool: db.pool,
    uniqueContacts: { ownerOf: async () => null },
  })
  return (await findAddressee(finding, from, to))?.workspaceId ?? null
}

test('a name is answered to who wrote last under it, also where that one got a number behind it later', async () => {
  await writes(other, { from: 'SHOPTEL', at: times.first })
  await writes(one, { from: 'ShopTel', at: times.second })
  await assigns(one, 'SHOPTEL', times.third)
  expect([await find(phone, 'SHOPTEL'), await find(phone, number)]).toEqual([one, one])
})

test('a name is not answered to who wrote last under it from a number, where another wrote under the name', async () => {
  await assigns(one, 'SHOPTEL', times.first)
  await writes(other, { from: 'SHOPTEL', at: times.second })
  await writes(one, { from: 'SHOPTEL', at: times.third })
  expect([await find(phone, 'SHOPTEL'), await find(phone, number)]).toEqual([other, one])
})

test('a person whose number comes without its country is the one whom the sender wrote to', async () => {
  await writes(one, { from: 'SHOP', at: times.first })
  await writes(other, { from: 'ELSE', at: times.second, to: '+44501234567' })
  expect([await find('0501234567', 'shop'), await find('0501234567', 'ELSE'), await find('0501234567', 'NONE')]).toEqual([one, other, null])
  await writes(other, { from: 'SHOP', at: times.second, to: '+44501234567' })
  expect([await find('0501234567', 'SHOP'), await find(phone, 'SHOP')]).toEqual([null, one])
})
