import { databaseNow } from '@tidings/async/clock'
import { type KeyRing, type StreamReader, uuidv5 } from '@tidings/codec'
import type { CommandExecutor } from '@tidings/commands'
import {
  DETAIL_KINDS,
  type DetailKind,
  type RetentionEvent,
  type RetentionState,
  retention,
  retentionStream,
  type WorkspaceId,
  weekOf,
} from '@tidings/domain'
import type { Pool } from 'pg'
import { type Due, dueEnds, type EndOfDetails, workspacesAfter } from './ended-details-table.ts'

/** The days for which each kind of details is kept; null: as long as the person's key exists. */
export type RetentionDays = Readonly<Record<DetailKind, number | null>>

export type Ending = Readonly<{
  log: StreamReader
  pool: Pick<Pool, 'query'>
  commands: CommandExecutor
  keyRing: Pick<KeyRing, 'endDetails' | 'endedDetails'>
  days: RetentionDays
  now?: () => number
}>

const DAY_MS = 86_400_000
const PAGE = 100

/** The last day of a week that ends has been over for so many days. */
export function dueUntil(days: RetentionDays, now: number): Due {
  const kinds = DETAIL_KINDS.flatMap((kind) => {
    const kept = days[kind]
    return kept === null ? [] : [[kind, { days: kept, until: weekOf(new Date(now - kept * DAY_MS).toISOString()) }] as const]
  })
  return Object.fromEntries(kinds)
}

/** Work in pages of the database, each behind the last item of the page before. `work` is done for each item. */
type Paged<Item> = Readonly<{ pageAfter: (last: Item | null) => Promise<readonly Item[]>; work: (item: Item) => Promise<unknown> }>

/** Each step is how much of a page was done. An item that fails delays no other: the first error is thrown at the end. */
async function* inPages<Item>({ pageAfter, work }: Paged<Item>): AsyncGenerator<number> {
  const faults: unknown[] = []
  let last: Item | null = null
  for (;;) {
    const page: readonly Item[] = await pageAfter(last)
    const before = faults.length
    for (const item of page) await work(item).catch((error: unknown) => faults.push(error))
    yield page.length - (faults.length - before)
    if (page.length < PAGE) break
    last = page.at(-1)!
  }
  if (faults.length > 0) throw faults[0]
}

/**
 * Ends what is due; each step is the number of ends of a page. The log says it first: a process that dies right after leaves an end that is made
 * again, whatever the settings are by then. Twice, or in two processes at once, is once.
 */
export function endDueDetails(ending: Ending): AsyncGenerator<number> {
  const { pool, days, now = databaseNow } = ending
  const due = dueUntil(days, now())
  return inPages<EndOfDetails>({
    pageAfter: (last) => dueEnds(pool, due, { last, limit: PAGE }),
    work: (end) => endOne(ending, end),
  })
}

const endOne = async ({ commands, keyRing, now = databaseNow }: Ending, end: EndOfDetails): Promise<void> => {
  const { workspaceId, kind, until } = end
  const commandId = uuidv5(`${kind} until ${until}`, workspaceId)
  await commands.execute({
    decider: retention,
    stream: retentionStream(workspaceId),
    command: { type: 'EndDetails', data: { kind, until } },
    context: { commandId, workspaceId, actor: 'pipeline', requestId: commandId, at: new Date(now()).toISOString() },
  })
  await keyRing.endDetails(end)
}

/** `known`: what the keys know to have ended. */
type Repeated = Readonly<{ workspaceId: WorkspaceId; known: Awaited<ReturnType<KeyRing['endedDetails']>> }>

/** Makes the ends again that the log knows and the keys do not, as where these were restored from an older copy; each step is a page of workspaces. */
export async function* repeatEnds(ending: Omit<Ending, 'commands' | 'days'>): AsyncGenerator<number> {
  const workspaces = inPages<Repeated>({
    pageAfter: async (last) => {
      const ids = await workspacesAfter(ending.pool, last?.workspaceId ?? null, PAGE)
      const known = await ending.keyRing.endedDetails()
      return ids.map((workspaceId) => ({ workspaceId, known }))
    },
    work: (workspace) => repeatEnd(ending, workspace),
  })
  // These steps delete no rows.
  for await (const _ of workspaces) yield 0
}

const repeatEnd = async (
  { log, keyRing }: Readonly<{ log: StreamReader; keyRing: Pick<KeyRing, 'endDetails' | 'endedDetails'> }>,
  { workspaceId, known }: Repeated,
): Promise<void> => {
  const events = await log.readStream<RetentionEvent>(workspaceId, retentionStream(workspaceId))
  const ended = events.reduce<RetentionState>(retention.evolve, retention.initialState)
  for (const kind of DETAIL_KINDS) {
    const until = ended[kind]
    if (until !== null && until > (known.get(workspaceId)?.[kind] ?? '')) await keyRing.endDetails({ workspaceId, kind, until })
  }
}
