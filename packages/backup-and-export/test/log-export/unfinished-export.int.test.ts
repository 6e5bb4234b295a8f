import { readFile, stat, writeFile } from 'node:fs/promises'
import { createEventLog, memoryKeyRing } from '@tidings/codec'
import { asWorkspaceId } from '@tidings/domain'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unfinishedPath } from '../../src/log-export/unfinished.ts'
import { declarations, linesOf, openWorld, type World } from './notes.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

/** A page an event, and a checkpoint a page. */
const limits = { page: 1, checkpointBytes: 1 }

/** What lies on disk after each page. */
const checkpointsOf = async (file: string): Promise<readonly string[]> => {
  const { readAll } = world.store
  const kept: string[] = []
  const store = {
    ...world.store,
    readAll: async (...asked: Parameters<typeof readAll>) => {
      const text = await readFile(unfinishedPath(file), 'utf8').catch(() => null)
      if (text !== null && text !== kept.at(-1)) kept.push(text)
      return readAll(...asked)
    },
  }
  await world.export(file, {}, { store, limits })
  return kept
}

test('killed at any byte, the same call completes the file: no line is missing, none is twice', async () => {
  for (let n = 0; n < 6; n++) await world.note(n)
  const file = world.newFile()
  const checkpoints = await checkpointsOf(file)
  const whole = await readFile(file)
  expect(checkpoints.length).toBeGreaterThan(4)
  for (const checkpoint of checkpoints) {
    const { bytes } = JSON.parse(checkpoint) as Readonly<{ bytes: number }>
    for (const end of [bytes, bytes + 1, bytes + 150, whole.length - 1, whole.length]) {
      await writeFile(file, whole.subarray(0, end))
      await writeFile(unfinishedPath(file), checkpoint)
      expect(await world.export(file, {}, { limits })).toMatchObject({ events: 6, to: '00000000000000000006' })
      expect((await readFile(file)).equals(whole)).toBe(true)
    }
  }
})

/** An export that ends after its first page, as a lost connection would end it. */
const interrupted = async (file: string): Promise<void> => {
  const onProgress = () => {
    throw new Error('interrupted')
  }
  await expect(world.export(file, {}, { limits, onProgress })).rejects.toThrow('interrupted')
}

test('killed before the file was made, or right after, the same call makes it', async () => {
  await world.note(1)
  const file = world.newFile()
  await interrupted(file)
  const unfinished = await readFile(unfinishedPath(file), 'utf8')
  const before = JSON.stringify({ ...JSON.parse(unfinished), begun: false, bytes: 0, events: 0, to: null, seen: null })
  await writeFile(file, '')
  await writeFile(unfinishedPath(file), before)
  expect(await world.export(file)).toMatchObject({ events: 1 })
  expect(await linesOf(file)).toHaveLength(1)
})

test('a file that is there already is refused and stays as it is: finished, foreign, or made meanwhile', async () => {
  await world.note(1)
  const file = world.newFile()
  await world.export(file)
  const text = await readFile(file, 'utf8')
  await expect(world.export(file)).rejects.toThrow(`${file} exists`)
  expect(await readFile(file, 'utf8')).toBe(text)
  const foreign = world.newFile()
  await interrupted(foreign)
  const unfinished = JSON.parse(await readFile(unfinishedPath(foreign), 'utf8')) as object
  await writeFile(unfinishedPath(foreign), JSON.stringify({ ...unfinished, begun: false, bytes: 0 }))
  await writeFile(foreign, 'my own')
  await expect(world.export(foreign)).rejects.toThrow(`${foreign} exists`)
  expect(await readFile(foreign, 'utf8')).toBe('my own')
})

test('an unfinished export of another selection is refused', async () => {
  for (const n of [1, 2]) await world.note(n)
  const file = world.newFile()
  await interrupted(file)
  const before = (await stat(file)).size
  for (const other of [{ sealed: true }, { types: ['NoteTaken'] }, { from: { commit: 1n, prepare: 0n } }])
    await expect(world.export(file, other)).rejects.toThrow('is an unfinished export of another selection')
  expect((await stat(file)).size).toBe(before)
})

test('the order in which types are named is no other selection', async () => {
  for (const n of [1, 2]) await world.note(n)
  const file = world.newFile()
  const onProgress = () => {
    throw new Error('interrupted')
  }
  await expect(world.export(file, { types: ['NoteTaken', 'DayEnded'] }, { limits, onProgress })).rejects.toThrow('interrupted')
  expect(await world.export(file, { types: ['DayEnded', 'NoteTaken'] })).toMatchObject({ events: 2 })
})

test('a file that somebody cut, and a note about it that somebody wrote, are refused', async () => {
  for (const n of [1, 2]) await world.note(n)
  const file = world.newFile()
  await interrupted(file)
  await writeFile(file, 'x')
  await expect(world.export(file)).rejects.toThrow('is not what the export left there')
  await writeFile(unfinishedPath(file), '{"version":1,"bytes":-5}')
  await expect(world.export(file)).rejects.toThrow('cannot be read: delete it')
})

test('an export does not go on with another log', async () => {
  for (const n of [1, 2]) await world.note(n)
  const file = world.newFile()
  await interrupted(file)
  const unfinished = JSON.parse(await readFile(unfinishedPath(file), 'utf8')) as { seen: object }
  const seen = { ...unfinished.seen, id: '00000000-0000-4000-8000-000000000000' }
  await writeFile(unfinishedPath(file), JSON.stringify({ ...unfinished, seen }))
  await expect(world.export(file)).rejects.toThrow('The log is not the one')
})

test('an export does not go on where the log was set back to before its place, though it had met no event', async () => {
  for (const n of [1, 2, 3]) await world.note(n)
  const file = world.newFile()
  const { readMatching: _, ...store } = world.store
  const days = { types: ['DayEnded'] }
  const onProgress = ({ commit }: Readonly<{ commit: bigint }>) => {
    if (commit === 2n) throw new Error('interrupted')
  }
  await expect(world.export(file, days, { store, limits: { page: 1, checkpointPages: 1 }, onProgress })).rejects.toThrow('interrupted')
  const setBack = { ...store, head: async () => ({ commit: 1n, prepare: 0n }) }
  await expect(world.export(file, days, { store: setBack })).rejects.toThrow(
    `ends at 00000000000000000001, before what ${file} was exported from already: it was set back`,
  )
})

test('one process at a time writes a file', async () => {
  for (const n of [1, 2]) await world.note(n)
  const file = world.newFile()
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { readAll } = world.store
  const store = {
    ...world.store,
    readAll: async (...asked: Parameters<typeof readAll>) => {
      begun.resolve()
      await go.promise
      return readAll(...asked)
    },
  }
  const first = world.export(file, {}, { store })
  await begun.promise
  await expect(world.export(file)).rejects.toThrow('is being written by another export')
  go.resolve()
  expect(await first).toMatchObject({ events: 2 })
})

test('one whose lock is lost stops, and can be continued', async () => {
  for (const n of [1, 2, 3]) await world.note(n)
  const file = world.newFile()
  const { readAll } = world.store
  let pages = 0
  const store = {
    ...world.store,
    readAll: async (...asked: Parameters<typeof readAll>) => {
      if (++pages === 2) await world.database.pool.query(TERMINATE_LOCKED)
      return readAll(...asked)
    },
  }
  await expect(world.export(file, {}, { store, limits })).rejects.toThrow('repeat the call, and the export goes on')
  expect(await world.export(file)).toMatchObject({ events: 3 })
  expect(await linesOf(file)).toHaveLength(3)
})

const TERMINATE_LOCKED = `select pg_terminate_backend(pid, 60000) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`

test('an event that this build does not know ends the export behind those before it; a build that knows it goes on', async () => {
  await world.note(1)
  const newer = createEventLog({
    ...{ store: world.store, upcasters: [], keyRing: memoryKeyRing() },
    declarations: { ...declarations, MoonRisen: { version: 1 } },
  })
  const context = { commandId: 'c', workspaceId: asWorkspaceId('w'), actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  await newer.append('moon-1', 'any', [{ type: 'MoonRisen', data: { n: 2 } }], context)
  await world.note(3)
  for (const sealed of [false, true]) {
    const file = world.newFile()
    await expect(world.export(file, { sealed })).rejects.toThrow(/does not know the event MoonRisen at position 2/)
    expect(await linesOf(file)).toHaveLength(1)
    const log = { decode: sealed ? world.log.decode : knowing(newer.decode) }
    const known = new Set([...Object.keys(declarations), 'MoonRisen'])
    expect(await world.export(file, { sealed }, { log, known })).toMatchObject({ events: 3 })
    expect((await linesOf(file)).map(({ position }) => Number(position))).toEqual([1, 2, 3])
  }
})

/** The newer build has the keys of the older one. */
const knowing =
  (decode: World['log']['decode']): World['log']['decode'] =>
  async (stored) => {
    const parts = await Promise.all(stored.map((event) => (event.type === 'MoonRisen' ? decode : world.log.decode)([event])))
    return { events: parts.flatMap(({ events }) => events), done: stored.length, failure: null }
  }
