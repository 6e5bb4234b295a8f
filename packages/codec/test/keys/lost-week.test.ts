import { asWorkspaceId, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { expect, test } from 'vitest'
import { uuidv7 } from '../../src/ids.ts'
import { createKeyRing } from '../../src/keys/key-ring.ts'
import type { KeyStore, StoredKey, SubjectRef } from '../../src/keys/key-store.ts'
import { parseMasterKey, subjectKeyContext, unwrap, wrap } from '../../src/keys/master-key.ts'
import { masterKeysOf } from '../../src/keys/master-keys.ts'
import { memoryKeyStore } from '../../src/keys/memory-key-store.ts'
import { createEventLog } from '../../src/typed-event-log.ts'
import { upcasters } from '../../src/upcast/upcasters.ts'

const workspaceId = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
const ref: SubjectRef = { workspaceId, subject: 'period:client:2026-11-16' }
const masterKey = parseMasterKey('11'.repeat(32))
const people = memoryKeyStore()
const isWeek = ({ subject }: SubjectRef) => subject.startsWith('period:')

/** The keys of people beside others of weeks. */
const withWeeks = (weeks: KeyStore): KeyStore => ({
  ...people,
  load: async (refs) => await Promise.all(refs.map(async (one) => (await (isWeek(one) ? weeks : people).load([one]))[0]!)),
  ensure: async (refs) => await Promise.all(refs.map(async (one) => (await (isWeek(one) ? weeks : people).ensure([one]))[0]!)),
})

const store = memoryEventStore()
const newProcess = (weeks: KeyStore) => {
  const keys = withWeeks(weeks)
  const keyRing = createKeyRing({ store: keys, masters: masterKeysOf(keys, [masterKey]) })
  return createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
}

const said = { contactId: 'ann', channel: 'email', from: 'never_subscribed', to: 'subscribed', source: 'test', message: 'I agree' }
const consent = async (weeks: KeyStore, ip: string) => {
  const event = { type: 'ContactConsentRecorded', data: { ...said, ip, userAgent: 'agent' } }
  const at = '2026-11-21T12:00:00.000Z'
  await newProcess(weeks).append('contact-1', 'any', [event], { commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r', at })
}

const read = async (weeks: KeyStore) => {
  const { events } = await newProcess(weeks).readAll('start', 10)
  return events.map(({ data, ended }) => ({ data, ended }))
}

const asVersion2 = ({ wrapped }: StoredKey): StoredKey => {
  const bytes = unwrap([masterKey], wrapped!, subjectKeyContext(workspaceId, ref.subject, 1))
  return { version: 2, wrapped: wrap(masterKey, bytes, subjectKeyContext(workspaceId, ref.subject, 2)) }
}

test('a week whose key is lost reads without its details, also once it has another key, and with them where the lost one is put back', async () => {
  const lost = memoryKeyStore()
  await consent(lost, '198.51.100.1')
  const [first] = await read(lost)
  expect(first).toMatchObject({ data: { ip: '198.51.100.1', message: 'I agree' }, ended: undefined })
  const without = { data: { ...said, ip: null, userAgent: null }, ended: ['client'] }
  const anew = memoryKeyStore()
  expect(await read(anew)).toMatchObject([without])
  await consent(anew, '198.51.100.2')
  expect(await read(anew)).toMatchObject([without, { data: { ip: '198.51.100.2' }, ended: undefined }])
  const back = asVersion2((await lost.load([ref]))[0]![0]!)
  const healed: KeyStore = { ...anew, load: async (refs) => (await anew.load(refs)).map((stored) => [...stored, back]) }
  expect(await read(healed)).toMatchObject([{ data: { ip: '198.51.100.1' } }, { data: { ip: '198.51.100.2' } }])
})
