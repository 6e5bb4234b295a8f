import { randomUUID } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEventLog, type KeyRing, memoryKeyRing } from '@tidings/codec'
import { asWorkspaceId, type Event, type EventDeclarations, type WorkspaceId } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, testDatabase } from '@tidings/testing'
import type { Pool } from 'pg'
import { type Exported, type ExportOptions, exportLog } from '../../src/log-export/export-log.ts'
import type { Selection } from '../../src/log-export/selection.ts'

type NoteEvent = Event<'NoteTaken', { person: string; text: string | null; n: number }> | Event<'DayEnded', { n: number }>

const subject = ({ person }: Readonly<{ person: string }>) => person
export const declarations = {
  NoteTaken: { version: 1, personal: { fields: ['text'], subject } },
  DayEnded: { version: 1 },
} as EventDeclarations

export const ACME = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
export const BETA = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b')

const ALL: Selection = { format: 'ndjson', sealed: false, types: null, workspaceId: null, from: null, since: null, until: null }

export type Line = Readonly<{ position: string; at: string; type: string; workspaceId: WorkspaceId; data: Record<string, unknown> }>

/** A log on a database of its own, and a folder for what is exported of it. */
export type World = Awaited<ReturnType<typeof openWorld>>

export async function openWorld(keys: (pool: Pool) => Promise<KeyRing> = async () => memoryKeyRing()) {
  const database = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'tidings-export-'))
  const store: EventStore = postgresEventStore({ pool: database.pool, appendDeadlineMs: PATIENT_MS })
  const keyRing = await keys(database.pool)
  const log = createEventLog({ store, declarations, upcasters: [], keyRing })
  const append = (stream: string, event: NoteEvent, workspaceId: WorkspaceId) => {
    const context = { commandId: randomUUID(), workspaceId, actor: 'test', requestId: 'test', at: '2026-01-01T00:00:00.000Z' }
    return log.append(stream, 'any', [event], context)
  }
  let files = 0
  return {
    ...{ database, store, log, keyRing },
    newFile: () => join(folder, `${++files}.out`),
    note: (
      n: number,
      { person = 'ann', text = `note ${n}`, workspaceId = ACME }: Partial<Record<'person' | 'text' | 'workspaceId', string>> = {},
    ) => append(`note-${workspaceId}-${n}`, { type: 'NoteTaken', data: { person, text, n } }, asWorkspaceId(workspaceId)),
    dayEnded: (n: number, workspaceId = ACME) => append(`day-${workspaceId}-${n}`, { type: 'DayEnded', data: { n } }, workspaceId),
    export: (file: string, selection: Partial<Selection> = {}, changes: Partial<ExportOptions> = {}): Promise<Exported> =>
      exportLog({
        ...{ file, selection: { ...ALL, ...selection }, store, log, pool: database.pool },
        known: new Set(Object.keys(declarations)),
        ...changes,
      }),
    close: async () => {
      await store.close()
      await database.drop()
      await rm(folder, { recursive: true })
    },
  }
}

export async function linesOf(file: string): Promise<readonly Line[]> {
  const text = await readFile(file, 'utf8')
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Line]))
}
