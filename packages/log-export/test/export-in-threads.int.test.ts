import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventLog, openKeyRing, upcasters } from '@tidings/codec'
import { type ContactEvent, contactStream, contactSubject, eventDeclarations } from '@tidings/domain'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { testDatabase } from '@tidings/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Exported, type ExportOptions, exportLog } from '../src/export-log.ts'
import type { Selection } from '../src/selection.ts'

const WORKSPACE = '0192f0c1-0000-7000-8000-00000000000a'
const MASTER_KEY = 'ab'.repeat(32)
const CONTACTS = 30
const ROUNDS = 5

const created = (contactId: string): ContactEvent => ({
  type: 'ContactCreated',
  data: {
    ...{ contactId, email: `${contactId}@example.com`, emailClaimId: contactId, phone: null, phoneClaimId: null, source: 'api' },
    ...{ firstName: 'Zoë', lastName: null, timezone: null, locale: null, notes: 'a\n"b"', tags: [], customProperties: {} },
  },
})

/** Contacts with several events each, one of them erased, and a folder. */
const openWorld = async () => {
  const { pool, drop } = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'tidings-export-'))
  const store = postgresEventStore({ pool })
  const keyRing = await openKeyRing({ pool, masterKey: MASTER_KEY })
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing })
  const contactIds = Array.from({ length: CONTACTS }, randomUUID)
  const append = async (contactId: string, event: ContactEvent): Promise<void> => {
    const context = { commandId: randomUUID(), workspaceId: WORKSPACE, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
    await log.append(contactStream(WORKSPACE, contactId), 'any', [event], context)
  }
  await Promise.all(contactIds.map((contactId) => append(contactId, created(contactId))))
  for (let round = 1; round < ROUNDS; round++)
    await Promise.all(
      contactIds.map((contactId) => append(contactId, { type: 'ContactDetailsChanged', data: { contactId, lastName: `${round}` } })),
    )
  await keyRing.shred(WORKSPACE, contactSubject({ contactId: contactIds[3]! }))
  return {
    ...{ pool, file: (name: string) => join(folder, name) },
    export: async (file: string, selection: Pick<Selection, 'sealed' | 'from'>, more: Partial<ExportOptions>): Promise<Exported> => {
      const whole: Selection = { format: 'ndjson', types: null, workspaceId: null, since: null, until: null, ...selection }
      const known = new Set(Object.keys(eventDeclarations))
      return await exportLog({ file, selection: whole, store, log, readers: null, known, pool, ...more })
    },
    close: async () => {
      await log.close()
      await drop()
      await rm(folder, { recursive: true })
    },
  }
}

const cases = fc.record({
  from: fc.option(fc.integer({ min: 1, max: 100 })),
  part: fc.constantFrom(3, 7),
  page: fc.integer({ min: 1, max: 20 }),
  stop: fc.nat(12),
  torn: fc.nat(40),
})

test.each([['opened', false]])(
  '%s, threads write byte for byte what one thread writes, also killed and continued',
  async (_, sealed) => {
    const world = await openWorld()
    const url = world.pool.options.connectionString ?? ''
    let files = 0
    const property = fc.asyncProperty(cases, async ({ from, part, page, stop, torn }) => {
      const selection = { sealed, from: from === null ? null : { commit: BigInt(from), prepare: 0n } }
      const readers = { url, keys: { masterKey: MASTER_KEY }, threads: 2, part }
      const limits = { page, checkpointBytes: 1 }
      const [alone, parallel, killed] = ['alone', 'parallel', 'killed'].map((name) => world.file(`${name}-${++files}`))
      const { file: _, ...exported } = await world.export(alone!, selection, { limits })
      const whole = await readFile(alone!)
      expect(await world.export(parallel!, selection, { limits, readers })).toEqual({ ...exported, file: parallel })
      expect((await readFile(parallel!)).equals(whole)).toBe(true)
      let parts = 0
      const onProgress = (): void => {
        if (parts++ === stop) throw new Error('killed')
      }
      await expect(world.export(killed!, selection, { limits, readers, onProgress })).rejects.toThrow('killed')
      // What was written behind the last checkpoint may be there in part.
      await truncate(killed!, (await readFile(killed!)).length + torn)
      expect(await world.export(killed!, selection, { limits })).toEqual({
        ...exported,
        file: killed,
      })
      expect((await readFile(killed!)).equals(whole)).toBe(true)
    })
    try {
      await fc.assert(property, { numRuns: 1 })
    } finally {
      await world.close()
    }
  },
  240_000,
)

test('an event that no thread can read ends the export where it is, and names it', async () => {
  const world = await openWorld()
  try {
    await world.pool.query(
      `set es.allow_rewrite = 'on'; update es.event set type = 'FromTomorrow' where position = 101; reset es.allow_rewrite`,
    )
    const file = world.file('unknown')
    const readers = { url: world.pool.options.connectionString ?? '', keys: { masterKey: MASTER_KEY }, threads: 2, part: 7 }
    await expect(world.export(file, { sealed: false, from: null }, { readers })).rejects.toMatchObject({
      cause: { name: 'UnknownEventType' },
    })
    expect((await readFile(file, 'utf8')).trimEnd().split('\n')).toHaveLength(100)
  } finally {
    await world.close()
  }
}, 120_000)
