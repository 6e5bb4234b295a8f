import type { Figures, MessageCounts } from '@tidings/contracts'
import {
  type FigureKind,
  type FigureOutcome,
  forWorkspace,
  type MessageHourRow,
  quarterStart,
  type ReadModels,
  type WorkspaceId,
} from '@tidings/read-models'
import { type Kysely, sql } from 'kysely'
import type { Boundaries } from './period.ts'

export type WantedFigures = Readonly<{
  workspaceId: WorkspaceId
  boundaries: Boundaries
  channel?: MessageHourRow['channel']
  kind?: FigureKind
}>

type Counted = Readonly<Pick<Figures, 'steps' | 'totals' | 'until'>>

const CHANNELS = ['email', 'sms', 'push'] as const

const NOTHING: MessageCounts = {
  ...{ accepted: 0, sent: 0, delivered: 0, bounced: 0, complained: 0, failed: 0, suppressed: 0, skipped: 0, opened: 0, clicked: 0 },
}

const timeOf = (quarter: number): string => new Date(quarterStart(quarter)).toISOString()

/** One row for each quarter of an hour: `quarter` since 1970, and what was counted in it. */
const quarter = sql<number>`hour * 4 + unnest(array[0, 1, 2, 3])`.as('quarter')
const counted = sql<bigint>`unnest(array[q1, q2, q3, q4])`.as('counted')

/** The step that a quarter is in, from 1; 0 before the first, and one more than there are steps behind the last. */
const stepOf = (boundaries: Boundaries) => sql<number>`width_bucket(quarter, ${[...boundaries]}::integer[])`

const first = (boundaries: Boundaries): number => boundaries[0] ?? 0
const end = (boundaries: Boundaries): number => boundaries.at(-1) ?? 0

/** The outcomes of each step: what is read are the rows of the hours of the period, however many messages they count. */
export async function countedMessages(db: Kysely<ReadModels>, { workspaceId, boundaries, channel, kind }: WantedFigures): Promise<Counted> {
  let hours = forWorkspace(db, workspaceId)
    .messageHours()
    .where('hour', '>=', Math.floor(first(boundaries) / 4))
    .where('hour', '<', Math.ceil(end(boundaries) / 4))
  if (channel !== undefined) hours = hours.where('channel', '=', channel)
  if (kind !== undefined) hours = hours.where('kind', '=', kind)
  const rows = await db
    .selectFrom(hours.select(['outcome', quarter, counted]).as('quarters'))
    .select(['outcome', stepOf(boundaries).as('step'), sql<string>`sum(counted)`.as('messages')])
    .groupBy(['outcome', 'step'])
    .execute()
  const steps = boundaries.slice(0, -1).map((at) => ({ at: timeOf(at), ...NOTHING }))
  const totals = { ...NOTHING }
  for (const { outcome, step, messages } of rows) {
    const its = steps[step - 1]
    if (its === undefined) continue
    its[outcome] += Number(messages)
    totals[outcome satisfies FigureOutcome] += Number(messages)
  }
  return { steps, totals, until: timeOf(end(boundaries)) }
}

/** From what holds now back over what changed since: so the last value is the one that everything else shows. */
export async function subscribedContacts(
  db: Kysely<ReadModels>,
  { workspaceId, boundaries }: Pick<WantedFigures, 'workspaceId' | 'boundaries'>,
): Promise<Figures['consents']> {
  const own = forWorkspace(db, workspaceId)
  const hours = own
    .consentHours()
    .where('hour', '>=', Math.floor(first(boundaries) / 4))
    .where('status', '=', 'subscribed')
  const [totals, changes] = await Promise.all([
    own.consentTotals().select(['channel', 'contacts']).where('status', '=', 'subscribed').execute(),
    db
      .selectFrom(hours.select(['channel', quarter, counted]).as('quarters'))
      .select(['channel', stepOf(boundaries).as('step'), sql<string>`sum(counted)`.as('change')])
      .groupBy(['channel', 'step'])
      .execute(),
  ])
  return CHANNELS.map((channel) => {
    const now = Number(totals.find((one) => one.channel === channel)?.contacts ?? 0n)
    const byStep = new Map(changes.filter((one) => one.channel === channel).map(({ step, change }) => [step, Number(change)]))
    const { values, before } = backFrom(now, boundaries.length, byStep)
    return { channel, now, change: (values.at(-1) ?? before) - before, values }
  })
}

/** Clocks that differ may put a leaving before a coming: fewer than none there never were. */
const backFrom = (now: number, last: number, changes: ReadonlyMap<number, number>) => {
  const values: number[] = []
  let value = now - (changes.get(last) ?? 0)
  for (let step = last - 1; step >= 1; step--) {
    values.unshift(Math.max(0, value))
    value -= changes.get(step) ?? 0
  }
  return { values, before: Math.max(0, value) }
}
