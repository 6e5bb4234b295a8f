import { type AppendContext, createEventLog, type EventLog, openKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { asContactId, asWorkspaceId, type ContactId, type DomainEvent, eventDeclarations } from '@tidings/domain'
import type { EventStore } from '@tidings/event-store'
import { postgresEventStore } from '@tidings/event-store/postgres'
import { PATIENT_MS, patientPool, type TestDatabase, testDatabase } from '@tidings/testing'
import { onTestFinished } from 'vitest'
import { projection, table } from '../src/index.ts'
import type { AnalystProjection } from '../src/projection.ts'
import { type Ran, runProjection } from '../src/run/index.ts'

export const OURS = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000a')
export const OTHERS = asWorkspaceId('0192f0c1-0000-7000-8000-00000000000b')

const MASTER_KEY = '66'.repeat(32)

/** A database and a log for one test. `shred` destroys a person's key, as an erasure does. */
export type World = TestDatabase & Readonly<{ log: EventLog; shred: (workspaceId: string, subject: string) => Promise<void> }>

export async function newWorld(
  storeOver: (db: TestDatabase) => EventStore = ({ pool }) => postgresEventStore({ pool, appendDeadlineMs: PATIENT_MS }),
): Promise<World> {
  const db = await testDatabase()
  onTestFinished(() => db.drop())
  const keyRing = await openKeyRing({ pool: db.pool, masterKey: MASTER_KEY })
  const log = createEventLog({ store: storeOver(db), declarations: eventDeclarations, upcasters, keyRing })
  onTestFinished(() => log.close())
  return { ...db, log, shred: async (workspaceId, subject) => void (await keyRing.shred(asWorkspaceId(workspaceId), subject)) }
}

export function contextAt(at: string, workspaceId = OURS): AppendContext {
  return { commandId: uuidv7(), workspaceId, actor: 'key:1', requestId: 'r-1', at }
}

export function consent(contactId: ContactId, to: 'subscribed' | 'unsubscribed', source = 'api'): DomainEvent {
  const from = to === 'subscribed' ? 'never_subscribed' : 'subscribed'
  return {
    type: 'ContactConsentRecorded',
    data: { contactId, channel: 'email', from, to, source, ip: '203.0.113.7', userAgent: null, message: null },
  }
}

/** Makes so many contacts of the workspace, each with a consent. Returns the number of events. */
export async function fill({ log }: Pick<World, 'log'>, contacts: number, workspaceId = OURS): Promise<number> {
  const SOURCES = ['api', 'form', 'import']
  const ids = Array.from({ length: contacts }, uuidv7)
  const append = (contactId: ContactId, n: number) =>
    log.append(
      `contact-${workspaceId}-${contactId}`,
      'no_stream',
      [consent(contactId, 'subscribed', SOURCES[n % 3]), ...(n % 4 === 0 ? [consent(contactId, 'unsubscribed', SOURCES[n % 3])] : [])],
      contextAt(new Date(Date.UTC(2026, 0, 1 + (n % 28), n % 24)).toISOString(), workspaceId),
    )
  for (let from = 0; from < contacts; from += 200)
    await Promise.all(ids.slice(from, from + 200).map((id, n) => append(asContactId(id), from + n)))
  return contacts + Math.ceil(contacts / 4)
}

export const perDay = table({
  name: 'per_day',
  columns: { workspace_id: 'uuid', day: 'date', source: 'text', opt_ins: 'integer', opt_outs: 'bigint' },
  key: ['workspace_id', 'day', 'source'],
  cachedRows: 5,
})

/** Opt-ins and opt-outs a day and source. */
export const consents = projection({
  name: 'consents',
  events: ['ContactConsentRecorded'],
  tables: { perDay },
  apply(event, { perDay }) {
    const [workspace_id, day, source] = [event.workspaceId, event.at.slice(0, 10), event.data.source]
    const row = perDay.get(workspace_id, day, source) ?? { workspace_id, day, source, opt_ins: 0, opt_outs: 0n }
    if (event.data.to === 'subscribed') perDay.put({ ...row, opt_ins: row.opt_ins + 1 })
    if (event.data.to === 'unsubscribed') perDay.put({ ...row, opt_outs: row.opt_outs + 1n })
  },
})

type RunSettings = Partial<Omit<Parameters<typeof runProjection>[0], 'file' | 'log'>> & Readonly<{ hash?: string }>

/** One run as the command line makes it, by default of `consents` into schema `analyst_consents`. */
export async function runOn(
  { log, url, pool }: World,
  made: AnalystProjection = consents,
  { hash = 'one', ...settings }: RunSettings = {},
): Promise<Ran> {
  // These connections know their address, like an operator's.
  const own = settings.pool ?? patientPool({ url, max: 2, name: 'test-run' })
  try {
    return await runProjection({
      ...{ log, pool: own, schema: `analyst_${made.name}`, workspaceId: null, personal: false, from: null, restart: false, follow: false },
      signal: new AbortController().signal,
      ...settings,
      file: { name: `${made.name}.projection.ts`, hash, projection: made },
    })
  } finally {
    if (own !== pool && own !== settings.pool) await own.end()
  }
}

/** What the fold must have found, by one statement over the clear fields of the log. */
export async function countedNaively({ pool }: World): Promise<readonly object[]> {
  const { rows } = await pool.query<object>(
    `select meta::json ->> 'workspaceId' as workspace_id, left(meta::json ->> 'at', 10) as day, data::json ->> 'source' as source,
       count(*) filter (where data::json ->> 'to' = 'subscribed')::int as opt_ins,
       count(*) filter (where data::json ->> 'to' = 'unsubscribed') as opt_outs
     from es.event where type = 'ContactConsentRecorded' group by 1, 2, 3 order by 1, 2, 3`,
  )
  return rows
}

export async function counted({ pool }: World, schema = 'analyst_consents'): Promise<readonly object[]> {
  const { rows } = await pool.query<object>(
    `select workspace_id, day::text, source, opt_ins, opt_outs from ${schema}.per_day order by 1, 2, 3`,
  )
  return rows
}
