import { execFileSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { createEventLog, openKeyRing } from '@tidings/codec'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ExportOptions } from '../../src/log-export/export-log.ts'
import type { OpeningThreads } from '../../src/log-export/opened-parts.ts'
import { unfinishedPath } from '../../src/log-export/unfinished.ts'
import { ACME, declarations, linesOf, openWorld, type World } from './notes.ts'

const COUNT = 300
const MASTER_KEY = 'ab'.repeat(32)

let world: World
beforeEach(async () => {
  world = await openWorld((pool) => openKeyRing({ pool, masterKey: MASTER_KEY }))
})
afterEach(() => world.close())

const inThreads = (changes: Partial<OpeningThreads> = {}): Pick<ExportOptions, 'threads'> => {
  const url = world.database.pool.options.connectionString ?? ''
  return {
    threads: { url, masterKeys: [MASTER_KEY], count: 2, module: new URL('./notes.thread.ts', import.meta.url), part: 7, ...changes },
  }
}

const fill = async (): Promise<void> => {
  await Promise.all(
    Array.from({ length: COUNT }, (_, n) =>
      n % 11 === 0 ? world.dayEnded(n) : world.note(n, { person: `person-${n % 17}`, text: 'x'.repeat(n % 50) }),
    ),
  )
  await world.keyRing.shred(ACME, 'person-3')
}

test('threads write what one thread writes, byte for byte, also when they were stopped, and up to any time', async () => {
  await fill()
  const { events } = await world.store.readAll('start', COUNT)
  const asked = fc.record({
    part: fc.constantFrom(1, 7, 29),
    count: fc.constantFrom(2, 3),
    from: fc.option(fc.nat(COUNT), { freq: 2 }),
    until: fc.option(fc.nat(COUNT - 1), { freq: 2 }),
    stop: fc.nat(40),
  })
  await fc.assert(
    fc.asyncProperty(asked, async ({ from, until, stop, ...threads }) => {
      const selection = {
        from: from === null ? null : { commit: BigInt(from), prepare: 0n },
        until: until === null ? null : (events[until]?.created ?? null),
      }
      const [alone, together] = [world.newFile(), world.newFile()]
      const exported = await world.export(alone, selection)
      let parts = 0
      const onProgress = (): void => {
        if (parts++ === stop) throw new Error('stopped')
      }
      const limits = { checkpointBytes: 1 }
      await world.export(together, selection, { ...inThreads(threads), limits, onProgress }).catch((error: unknown) => {
        expect(error).toEqual(new Error('stopped'))
        return world.export(together, selection, { ...inThreads(threads), limits })
      })
      expect((await readFile(together)).equals(await readFile(alone))).toBe(true)
      expect(exported.events).toBe((await linesOf(together)).length)
    }),
    { numRuns: 3 },
  )
})

test('an event that cannot be exported ends the file behind those before it, with the sentence of one thread', async () => {
  for (let n = 0; n < 90; n++) await world.note(n)
  const newer = createEventLog({
    ...{ store: world.store, upcasters: [], keyRing: world.keyRing },
    declarations: { ...declarations, MoonRisen: { version: 1 } },
  })
  const context = { commandId: 'c', workspaceId: ACME, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
  await newer.append('moon-1', 'any', [{ type: 'MoonRisen', data: { n: 91 } }], context)
  for (let n = 100; n < 200; n++) await world.note(n)
  const file = world.newFile()
  await expect(world.export(file, {}, inThreads())).rejects.toThrow(/does not know the event MoonRisen at position 91/)
  expect(await linesOf(file)).toHaveLength(90)
  expect(JSON.parse(await readFile(unfinishedPath(file), 'utf8'))).toMatchObject({ to: '00000000000000000090' })
})

test('an export whose lock is lost ends its threads, and can be continued', async () => {
  await fill()
  const file = world.newFile()
  let parts = 0
  let running = 0
  const onProgress = (): void => {
    running = threadsNow() - before
    if (++parts === 3) runAtOnce(TERMINATE_LOCKED)
  }
  const threadsNow = (): number => process.getActiveResourcesInfo().filter((name) => name === 'MessagePort').length
  const before = threadsNow()
  await expect(world.export(file, {}, { ...inThreads({ part: 2 }), onProgress })).rejects.toThrow('repeat the call, and the export goes on')
  expect([running, threadsNow() - before]).toEqual([2, 0])
  expect(await world.export(file, {}, inThreads())).toMatchObject({ events: COUNT })
  expect(await linesOf(file)).toHaveLength(COUNT)
})

test('a thread that dies ends the export with a sentence, and one thread goes on where it was', async () => {
  await fill()
  const file = world.newFile()
  const dying = inThreads({ module: new URL('./dying.thread.ts', import.meta.url) })
  await expect(world.export(file, {}, dying)).rejects.toThrow(
    /^The export ended early \(a thread ended: .*with `--threads 1` if it happens again\.$/,
  )
  expect(await world.export(file, {}, inThreads({ count: 1 }))).toMatchObject({ events: COUNT })
})

/** Nothing of this process goes on before the statement has ended. */
const runAtOnce = (statement: string): void => {
  const program = `import pg from 'pg'
    const client = new pg.Client({ connectionString: process.argv[1] })
    await client.connect()
    await client.query(process.argv[2])
    await client.end()`
  const url = world.database.url
  execFileSync(process.execPath, ['--input-type=module', '--eval', program, url, statement], { cwd: import.meta.dirname })
}

const TERMINATE_LOCKED = `select pg_terminate_backend(pid, 60000) from pg_locks
  where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`
