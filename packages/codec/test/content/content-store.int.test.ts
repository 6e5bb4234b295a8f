import { asWorkspaceId } from '@tidings/domain'
import { InvalidAppend } from '@tidings/event-store'
import { type TestDatabase, testDatabase } from '@tidings/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ContentStore, contentStore } from '../../src/content/content-store.ts'
import { SubjectErased } from '../../src/errors.ts'
import { uuidv7 } from '../../src/ids.ts'
import type { KeyRing } from '../../src/keys/key-ring.ts'
import { openKeyRing } from '../../src/keys/postgres-key-store.ts'

type Content = Readonly<{ subject: string; html: string }>

const ws = asWorkspaceId(uuidv7())
let db: TestDatabase
let keyRing: KeyRing
let store: ContentStore<Content>

beforeAll(async () => {
  db = await testDatabase()
  keyRing = await openKeyRing({ pool: db.pool, masterKey: '55'.repeat(32) })
  store = contentStore<Content>({ pool: db.pool, keyRing })
})

afterAll(() => db.drop())

const large = (n: number): Content => ({ subject: `No ${n}`, html: `<p>${'José ☕ '.repeat(5_000)}${n}</p>` })

test('content reads as it was put, many at once', async () => {
  const contents = Array.from({ length: 50 }, (_, n) => large(n))
  const ids = await Promise.all(contents.map((content, n) => store.put(ws, `contact:${n % 7}`, content)))
  expect(await Promise.all(ids.map((id) => store.get(ws, id)))).toEqual(contents)
})

test('content is durable when its id is given: another process reads it', async () => {
  const id = await store.put(ws, 'contact:ann', large(1))
  const other = contentStore<Content>({ pool: db.pool, keyRing: await openKeyRing({ pool: db.pool, masterKey: '55'.repeat(32) }) })
  expect(await other.get(ws, id)).toEqual(large(1))
})

test('nothing of it is readable in the row', async () => {
  const id = await store.put(ws, 'contact:ann', { subject: 'SECRET-SUBJECT', html: 'SECRET-HTML' })
  const { rows } = await db.pool.query<{ row: string; sealed: Buffer }>(
    'select c::text as row, c.sealed from ops.content c where id = $1',
    [id],
  )
  expect(rows).toHaveLength(1)
  expect(rows[0]!.row + rows[0]!.sealed.toString('latin1')).not.toContain('SECRET')
})

test('content of another workspace does not exist', async () => {
  const id = await store.put(ws, 'contact:ann', large(1))
  expect(await store.get(asWorkspaceId(uuidv7()), id)).toBeNull()
  expect(await store.get(ws, uuidv7())).toBeNull()
})

test('a sealed text that was moved to another row does not open', async () => {
  const first = await store.put(ws, 'contact:ann', large(1))
  const second = await store.put(ws, 'contact:ann', large(2))
  await db.pool.query('update ops.content a set sealed = b.sealed from ops.content b where a.id = $1 and b.id = $2', [first, second])
  await expect(store.get(ws, first)).rejects.toThrow()
  expect(await store.get(ws, second)).toEqual(large(2))
})

test('content ends with the key of its subject, and none can be put for it afterwards', async () => {
  const id = await store.put(ws, 'contact:gone', large(1))
  await keyRing.shred(ws, 'contact:gone')
  expect(await store.get(ws, id)).toBe('erased')
  await expect(store.put(ws, 'contact:gone', large(2))).rejects.toThrow(SubjectErased)
})

test('a string that Postgres could not hold is refused before anything is written', async () => {
  const count = async () => (await db.pool.query('select count(*)::int n from ops.content')).rows[0]
  const before = await count()
  await expect(store.put(ws, 'contact:ann', { subject: 'a\0b', html: '' })).rejects.toThrow(InvalidAppend)
  expect(await count()).toEqual(before)
})

test('the retention deletes what is older, over several batches, and keeps the rest', async () => {
  const own = asWorkspaceId(uuidv7())
  await db.pool.query(
    `insert into ops.content (workspace_id, id, subject, sealed, created_at)
     select $1, gen_random_uuid(), 'contact:old', '\\x00', now() - make_interval(days => 31) from generate_series(1, 2500)`,
    [own],
  )
  const kept = await store.put(own, 'contact:ann', large(1))
  expect(await store.deleteOlderThan(30)).toBe(2_500)
  expect(await store.deleteOlderThan(30)).toBe(0)
  expect(await store.get(own, kept)).toEqual(large(1))
})
