import { randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asWorkspaceId, type ContactEvent, type ContactState, contact, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Importing, importPeople, openPeopleFile } from '../src/index.ts'

let database: TestDatabase
let folder: string

beforeAll(async () => {
  ;[database, folder] = await Promise.all([testDatabase(), mkdtemp(join(tmpdir(), 'repeated-import-'))])
  // What an import reads of the read side, filled by hand: it is behind, or it is not.
  await database.pool.query('create table read.profiles (workspace_id uuid, id uuid, email text, phone text)')
})
afterAll(async () => {
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

class Killed extends Error {}

/** A log of its own, and imports into it. The read side shows nothing. */
const world = () => {
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const workspaceId = asWorkspaceId(randomUUID())
  const runs = async (text: string, work: Partial<Importing> = {}) => {
    const file = join(folder, workspaceId)
    await writeFile(file, text)
    // Each run is a process of its own.
    const runner = createCommandRunner({ log })
    const importing: Importing = {
      ...{ log, pool: database.pool, runner, workspaceId, list: null, now: () => new Date().toISOString() },
      contacts: createUniqueContacts({ runner, claimDigest: keyRing.claimDigest }),
      ...{ reading: { country: 'IL', kinds: new Map() }, shown: async () => undefined, onProgress: () => undefined },
      ...work,
    }
    return (await importPeople(importing, await openPeopleFile({ file, map: new Map() }))).counts
  }
  const people = async () => {
    const { events } = await log.readAll('start', 10_000, {})
    const streams = [...new Set(events.map(({ stream }) => stream).filter((stream) => stream.startsWith('contact-')))]
    const stateOf = async (stream: string) =>
      (await log.readStream<ContactEvent>(workspaceId, stream)).reduce<ContactState>(contact.evolve, contact.initialState)
    return (await Promise.all(streams.map(stateOf))).filter(({ exists }) => exists)
  }
  const named = async () => (await people()).map(({ email, phone, details: { firstName } }) => ({ email, phone, firstName }))
  const show = async () => {
    for (const { contactId, email, phone } of await people())
      await database.pool.query('insert into read.profiles values ($1, $2, $3, $4)', [workspaceId, contactId, email, phone])
  }
  /** As a request does it. */
  const rename = async (firstName: string) => {
    const runner = createCommandRunner({ log })
    const contacts = createUniqueContacts({ runner, claimDigest: keyRing.claimDigest })
    const context = { commandId: randomUUID(), workspaceId, actor: 'key:1', requestId: 'r', at: new Date().toISOString() }
    for (const { contactId } of await people()) if (contactId) await contacts.update({ context, contactId, details: { firstName } })
  }
  return { runs, named, show, rename }
}

const FILES = [
  {
    name: 'an address goes to another',
    lines: ['email,phone,firstName', 'ann@x.test,,Ann', 'ann@x.test,0501111111,', 'bob@x.test,0501111111,Bob', ''],
  },
  { name: 'a later line changes a name', lines: ['email,phone,firstName', 'ann@x.test,,Ann', 'ann@x.test,,Anna', ''] },
  {
    name: 'a phone stays',
    lines: ['email,phone,firstName', 'ann@x.test,0501111111,Ann', 'bob@x.test,0501111111,Bob', ',0501111111,Cid', ''],
  },
  {
    name: 'address passes on',
    lines: ['email,phone,firstName', 'ann@x.test,0501111111,Ann', 'bob@x.test,0501111111,Bob', 'ann@x.test,0502222222,Second', ''],
  },
]

const CASES = FILES.flatMap((file) => ['fresh', 'behind'].map((reads) => ({ ...file, reads })))

/** The import dies at the n-th note of how far it is. Noted or not is the same to it. */
const dyingAt = (n: number): Importing['pool'] => {
  let notes = 0
  const query = (...args: readonly unknown[]) => {
    if (String(args[0]).startsWith('update ops.people_import') && notes++ === n) throw new Killed()
    return Reflect.apply(database.pool.query, database.pool, args)
  }
  return new Proxy(database.pool, { get: (target, key) => (key === 'query' ? query : Reflect.get(target, key).bind(target)) })
}

it.each(CASES)('$name: killed at each place, with reads that are $reads, an import ends as one that lives', async ({ lines, reads }) => {
  const straight = world()
  const text = lines.join('\n')
  const counts = await straight.runs(text)
  let isDead = true
  for (let n = 0; isDead; n++) {
    const killed = world()
    isDead = await killed.runs(text, { pool: dyingAt(n) }).then(
      () => false,
      (error) => error instanceof Killed || Promise.reject(error),
    )
    if (!isDead) break
    if (reads === 'fresh') await killed.show()
    const again = await killed.runs(text)
    expect(await killed.named()).toEqual(await straight.named())
    expect(again).toEqual(counts)
  }
})

it('leaves what others have changed of its people since it was killed', async () => {
  const { runs, named, show, rename } = world()
  const text = 'email,firstName\nann@x.test,Ann\n'
  await expect(runs(text, { pool: dyingAt(0) })).rejects.toThrow(Killed)
  await show()
  await rename('Anna')
  expect(await runs(text)).toMatchObject({ read: 1, created: 1, updated: 0, unchanged: 0 })
  expect(await named()).toMatchObject([{ email: 'ann@x.test', firstName: 'Anna' }])
})
