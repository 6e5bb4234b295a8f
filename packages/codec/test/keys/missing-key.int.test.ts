import { asWorkspaceId, eventDeclarations, subjectStream } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { memoryEventStore } from '@tidings/event-store/memory'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { contentStore } from '../../src/content/content-store.ts'
import { CorruptEvent, SubjectErased, SubjectKeyMissing } from '../../src/errors.ts'
import type { EventLog } from '../../src/event-log.ts'
import { uuidv7 } from '../../src/ids.ts'
import { createKeyRing, type KeyRing } from '../../src/keys/key-ring.ts'
import type { KeyStore } from '../../src/keys/key-store.ts'
import { openMasterKeys } from '../../src/keys/master-keys.ts'
import { memoryKeyStore } from '../../src/keys/memory-key-store.ts'
import { postgresKeyStore } from '../../src/keys/postgres-key-store.ts'
import { createEventLog } from '../../src/typed-event-log.ts'
import { upcasters } from '../../src/upcast/upcasters.ts'

type Process = Readonly<{ log: EventLog; keyRing: KeyRing }>
/** What is kept when the processes end; `restoreOlder` puts the keys back as they were before there were any. */
type Installation = Readonly<{ keys: () => KeyStore; store: EventStore; restoreOlder: () => Promise<void> }>

const SENTENCE =
  /the key of contact:\S+ of workspace \S+ is missing, .* the database, or its schema keys, was restored from a copy that is older/

let db: TestDatabase
beforeAll(async () => {
  db = await testDatabase()
})
afterAll(() => db.drop())

const inMemory = (): Installation => {
  let keys = memoryKeyStore()
  return {
    keys: () => keys,
    store: memoryEventStore(),
    restoreOlder: async () => {
      keys = memoryKeyStore()
    },
  }
}

const onPostgres = (): Installation => {
  const store = postgresEventStore({ pool: db.pool, appendDeadlineMs: PATIENT_MS })
  onTestFinished(() => store.close())
  return {
    keys: () => postgresKeyStore(db.pool),
    store,
    restoreOlder: async () => {
      await db.pool.query('delete from keys.subject_key')
    },
  }
}

const newProcess = async ({ keys, store }: Installation): Promise<Process> => {
  const keyStore = keys()
  const keyRing = createKeyRing({ store: keyStore, masters: await openMasterKeys(keyStore, { masterKey: '77'.repeat(32) }) })
  return { keyRing, log: createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing, subjectStream }) }
}

/** A contact of a workspace of its own, written, and held in clear by no process. */
const someContact = () => {
  const [workspaceId, contactId] = [asWorkspaceId(uuidv7()), uuidv7()]
  const context = () => ({ commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at: '2026-11-21T12:00:00.000Z' })
  const changed = (email: string) => ({ type: 'ContactEmailChanged', data: { contactId, email, claimId: null } })
  const stream = `contact-${workspaceId}-${contactId}`
  return {
    workspaceId,
    subject: `contact:${contactId}`,
    stream,
    write: ({ log }: Process, email: string) => log.append(stream, 'any', [changed(email)], context()),
    bounce: ({ log }: Process, messageId = uuidv7()) =>
      log.append(
        `message-${workspaceId}-${messageId}`,
        'no_stream',
        [{ type: 'MessageBounced', data: { messageId, contactId, bounceType: 'hard', detail: 'no such user' } }],
        context(),
      ),
  }
}

describe.each([
  ['in memory', inMemory],
  ['on Postgres', onPostgres],
])('a subject whose key row is gone, %s', (_, install) => {
  const lost = async () => {
    const installation = install()
    const ann = someContact()
    await ann.write(await newProcess(installation), 'ann@example.com')
    await installation.restoreOlder()
    return { installation, ann }
  }
  const rows = async (installation: Installation, { workspaceId, subject }: ReturnType<typeof someContact>) =>
    (await installation.keys().load([{ workspaceId, subject }]))[0]

  test('stops its reader with a sentence that names the restore, and is no erasure', async () => {
    const { installation, ann } = await lost()
    const reading = (await newProcess(installation)).log.readStream(ann.workspaceId, ann.stream)
    await expect(reading).rejects.toThrow(SENTENCE)
    await expect(reading).rejects.toThrow(SubjectKeyMissing)
    await expect(reading).rejects.not.toThrow(CorruptEvent)
  })

  test('gives a subscription what stands before it, and ends it there', async () => {
    const { installation, ann } = await lost()
    const bob = someContact()
    await bob.write(await newProcess(installation), 'bob@example.com')
    const seen: string[] = []
    const following = async () => {
      for await (const { events } of (await newProcess(installation)).log.subscribe({
        from: 'start',
        signal: AbortSignal.timeout(240_000),
      }))
        seen.push(...events.map(({ stream }) => stream))
    }
    await expect(following()).rejects.toThrow(SubjectKeyMissing)
    expect(seen).not.toContain(ann.stream)
    expect(seen).not.toContain(bob.stream)
  })

  test('gets no other key when something is written about it, in whichever stream', async () => {
    const { installation, ann } = await lost()
    await expect(ann.write(await newProcess(installation), 'new@example.com')).rejects.toThrow(SENTENCE)
    await expect(ann.bounce(await newProcess(installation))).rejects.toThrow(SubjectKeyMissing)
    expect(await rows(installation, ann)).toEqual([])
    expect(await installation.store.readStream(ann.stream)).toHaveLength(1)
  })

  test('gets no other key from content, which it neither stores nor takes for erased', async () => {
    const { installation, ann } = await lost()
    const { keyRing } = await newProcess(installation)
    const contents = contentStore({ pool: db.pool, keyRing })
    await expect(contents.put(ann.workspaceId, ann.subject, { html: 'x' })).rejects.toThrow(SubjectKeyMissing)
    const other = someContact()
    const id = await contents.put(other.workspaceId, other.subject, { html: 'x' })
    await installation.restoreOlder()
    await expect(
      contentStore({ pool: db.pool, keyRing: (await newProcess(installation)).keyRing }).get(other.workspaceId, id),
    ).rejects.toThrow(SubjectKeyMissing)
  })

  test('reads again as soon as its row is back', async () => {
    const installation = install()
    const ann = someContact()
    await ann.write(await newProcess(installation), 'ann@example.com')
    const [kept] = (await rows(installation, ann)) ?? []
    await installation.restoreOlder()
    const process = await newProcess(installation)
    await expect(ann.write(process, 'new@example.com')).rejects.toThrow(SubjectKeyMissing)
    await installation.keys().ensure([{ workspaceId: ann.workspaceId, subject: ann.subject, wrapped: kept!.wrapped! }])
    await ann.write(process, 'new@example.com')
    expect((await process.log.readStream(ann.workspaceId, ann.stream)).map(({ erased }) => erased)).toEqual([false, false])
  })

  test('is erased where a tombstone says so, also after the restore', async () => {
    const { installation, ann } = await lost()
    const process = await newProcess(installation)
    await process.keyRing.shred(ann.workspaceId, ann.subject)
    expect((await process.log.readStream(ann.workspaceId, ann.stream)).map(({ erased }) => erased)).toEqual([true])
    await expect(ann.write(process, 'new@example.com')).rejects.toThrow(SubjectErased)
  })
})

test('a new subject costs one statement where its id was just made, and no look at the log', async () => {
  const calls: string[] = []
  const keys = memoryKeyStore()
  const store = memoryEventStore()
  const watched: Installation = {
    ...inMemory(),
    keys: () => ({
      ...keys,
      load: async (refs) => {
        calls.push('load')
        return keys.load(refs)
      },
      ensure: async (refs) => {
        calls.push('ensure')
        return keys.ensure(refs)
      },
    }),
    store: {
      ...store,
      readStream: async (stream, options) => {
        calls.push('read')
        return store.readStream(stream, options)
      },
    },
  }
  const process = await newProcess(watched)
  const ann = someContact()
  const made = process.keyRing.newKeyFor(ann.workspaceId, ann.subject)
  await Promise.all([made, process.keyRing.keyFor(ann.workspaceId, ann.subject), ann.write(process, 'ann@example.com')])
  await ann.bounce(process)
  expect(calls).toEqual(['ensure'])
})
