import { projection, table } from '@tidings/analyst'
import { runProjection } from '@tidings/analyst/run'
import { openEngine } from '../lib/engine.ts'

/** One run from the first event in a new process, as in `tidings projection run FILE --restart`. `fold`: what it counts by. */
export type AnalystInput = Readonly<{ url: string; fold: 'day' | 'contact' }>
export type AnalystAnswer = Readonly<{ events: number; seconds: number; cpuSeconds: number; peakMb: number }>

const events = ['ContactCreated', 'ContactEmailValidated', 'ContactSuppressed', 'ContactSuppressionLifted'] as const

const perDay = table({
  name: 'per_day',
  columns: { workspace_id: 'uuid', day: 'date', type: 'text', events: 'integer' },
  key: ['workspace_id', 'day', 'type'],
})
const perContact = table({
  name: 'per_contact',
  columns: { workspace_id: 'uuid', contact_id: 'uuid', events: 'integer', last_at: 'timestamptz' },
  key: ['workspace_id', 'contact_id'],
})

const folds = {
  day: projection({
    name: 'per_day',
    events,
    tables: { perDay },
    apply({ workspaceId: workspace_id, at, type }, { perDay }) {
      const day = at.slice(0, 10)
      const row = perDay.get(workspace_id, day, type) ?? { workspace_id, day, type, events: 0 }
      perDay.put({ ...row, events: row.events + 1 })
    },
  }),
  contact: projection({
    name: 'per_contact',
    events,
    tables: { perContact },
    apply({ workspaceId: workspace_id, at: last_at, data: { contactId: contact_id } }, { perContact }) {
      const before = perContact.get(workspace_id, contact_id)
      perContact.put({ workspace_id, contact_id, events: (before?.events ?? 0) + 1, last_at })
    },
  }),
}

const { url, fold } = JSON.parse(process.argv[2] ?? '{}') as AnalystInput
const engine = await openEngine(url)
const made = folds[fold]
const file = { name: 'bench.projection.ts', hash: '', projection: made }
const started = performance.now()
const before = process.cpuUsage()
const ran = await runProjection({
  ...{ file, log: engine.log, pool: engine.workPool, schema: `analyst_${made.name}`, workspaceId: null, personal: false, from: null },
  ...{ restart: true, follow: false, signal: new AbortController().signal },
})
const seconds = (performance.now() - started) / 1_000
const { user, system } = process.cpuUsage(before)
await engine.close()
const peakMb = (process.resourceUsage().maxRSS * 1_024) / 1e6
const answer: AnalystAnswer = { events: ran.events, seconds, cpuSeconds: (user + system) / 1e6, peakMb }
process.stdout.write(`${JSON.stringify(answer)}\n`)
