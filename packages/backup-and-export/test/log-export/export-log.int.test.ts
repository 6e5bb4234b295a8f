import { readFile, stat } from 'node:fs/promises'
import { parsePosition } from '@tidings/event-store'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unfinishedPath } from '../../src/log-export/unfinished.ts'
import { ACME, BETA, linesOf, openWorld, type World } from './notes.ts'

let world: World
beforeEach(async () => {
  world = await openWorld()
})
afterEach(() => world.close())

const numbers = async (file: string) => (await linesOf(file)).map(({ data }) => data.n)
const exists = (file: string) =>
  stat(file).then(
    () => true,
    () => false,
  )

test('a line says of an event what is known of it, opened', async () => {
  await world.note(1, { text: 'hello\n"you"  \ud83d\ude00' })
  const file = world.newFile()
  const [stored] = (await world.store.readAll('start', 1)).events
  expect(await world.export(file)).toEqual({ events: 1, from: null, to: '00000000000000000001', file })
  const [line] = await linesOf(file)
  expect(line).toEqual({
    ...{
      position: '00000000000000000001',
      at: stored?.created,
      stream: `note-${ACME}-1`,
      revision: 0,
      type: 'NoteTaken',
      workspaceId: ACME,
    },
    data: { person: 'ann', text: 'hello\n"you"  \ud83d\ude00', n: 1 },
    meta: { workspaceId: ACME, actor: 'test', requestId: 'test', schemaVersion: 1, at: '2026-01-01T00:00:00.000Z' },
  })
  expect(Object.keys(line ?? {})).toEqual(['position', 'at', 'stream', 'revision', 'type', 'workspaceId', 'data', 'meta'])
  expect((await stat(file)).mode & 0o777).toBe(0o600)
})

test('sealed, a line holds the stored texts and the id that they are bound to, and nothing personal in clear', async () => {
  await world.note(1, { text: 'secret' })
  const file = world.newFile()
  await world.export(file, { sealed: true })
  const text = await readFile(file, 'utf8')
  const [stored] = (await world.store.readAll('start', 1)).events
  expect(text).toContain(`"id":"${stored?.id}","data":${stored?.data},"meta":${stored?.meta}}\n`)
  expect(text).not.toContain('secret')
})

test('of an erased person the personal fields are null, and the line says so', async () => {
  await world.note(1, { person: 'ann' })
  await world.note(2, { person: 'bob' })
  await world.keyRing.shred(ACME, 'ann')
  const file = world.newFile()
  await world.export(file)
  expect(await linesOf(file)).toMatchObject([
    { erased: true, data: { person: 'ann', text: null, n: 1 } },
    { data: { person: 'bob', text: 'note 2', n: 2 } },
  ])
})

test.each(['a store that leaves out what does not match', 'a store that cannot'])(
  'types, workspace and times choose the events of %s',
  async (kind) => {
    const { readMatching, ...plain } = world.store
    const from = {
      store: kind === 'a store that cannot' ? plain : { ...plain, ...(readMatching && { readMatching }) },
      limits: { page: 2, checkpointBytes: 1 },
    }
    for (const n of [1, 2, 3]) {
      await world.note(n)
      await world.dayEnded(n * 10)
      await world.note(n * 100, { workspaceId: BETA })
    }
    const chosen = async (selection: Parameters<World['export']>[1]) => {
      const file = world.newFile()
      const { events } = await world.export(file, selection, from)
      expect(events).toBe((await linesOf(file)).length)
      return await numbers(file)
    }
    expect(await chosen({ types: ['DayEnded'] })).toEqual([10, 20, 30])
    expect(await chosen({ workspaceId: BETA })).toEqual([100, 200, 300])
    expect(await chosen({ types: ['NoteTaken'], workspaceId: ACME })).toEqual([1, 2, 3])
    const { events } = await world.store.readAll('start', 9)
    const middle = events[4]?.created ?? ''
    const before = events.filter(({ created }) => created < middle).length
    expect(await chosen({ until: middle })).toHaveLength(before)
    expect(await chosen({ since: middle })).toHaveLength(9 - before)
    expect(await chosen({ since: middle, until: middle })).toEqual([])
  },
)

test('what an export printed as its end goes on there: no event is missing and none is twice', async () => {
  const sizes: number[] = []
  const seen: unknown[] = []
  for (let to: string | null = null; sizes.length < 4; sizes.push(seen.length)) {
    for (const n of [1, 2, 3]) await world.note(sizes.length * 3 + n)
    const file = world.newFile()
    const exported: Awaited<ReturnType<World['export']>> = await world.export(file, { from: to === null ? null : parsePosition(to) })
    expect(exported.from).toBe(to)
    to = exported.to
    seen.push(...(await numbers(file)))
  }
  expect(seen).toEqual(Array.from({ length: 12 }, (_, n) => n + 1))
})

test('behind what does not match it goes on, too', async () => {
  await world.note(1)
  const { position } = await world.dayEnded(2)
  const { to } = await world.export(world.newFile(), { types: ['NoteTaken'] })
  expect(parsePosition(to ?? '')).toEqual(position)
})

test('an empty log is an empty file', async () => {
  const file = world.newFile()
  expect(await world.export(file)).toEqual({ events: 0, from: null, to: null, file })
  expect(await readFile(file, 'utf8')).toBe('')
})

test('a type that does not exist is refused before there is a file', async () => {
  const file = world.newFile()
  await expect(world.export(file, { types: ['NoteTaken', 'NoteTakn'] })).rejects.toThrow('There is no event type NoteTakn')
  expect([await exists(file), await exists(unfinishedPath(file))]).toEqual([false, false])
})

test('a position behind the end of the log is refused', async () => {
  await world.note(1)
  const file = world.newFile()
  await expect(world.export(file, { from: { commit: 2n, prepare: 0n } })).rejects.toThrow(
    'The log ends at 00000000000000000001, before --from',
  )
  expect(await exists(file)).toBe(false)
})

test('a folder that is not there is one sentence', async () => {
  await expect(world.export('/no/such/folder/x.ndjson')).rejects.toThrow('/no/such/folder/x.ndjson cannot be written (ENOENT)')
})
