import { type EventLog, type KeyRing, uuidv5 } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  DETAIL_KINDS,
  type DetailKind,
  type RetentionEvent,
  type RetentionState,
  retention,
  retentionStream,
  weekOf,
} from '@tidings/domain'
import type { Pool } from 'pg'
import { type Due, dueEnds, type EndOfDetails, workspacesAfter } from './ended-details-table.ts'

/** For how many days each kind of details is kept; null: for as long as the person's key is there. */
export type RetentionDays = Readonly<Record<DetailKind, number | null>>

export type Ending = Readonly<{
  log: Pick<EventLog, 'readStream'>
  pool: Pool
  commands: Pick<CommandRunner, 'execute'>
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

/**
 * Ends what is due, in pages; each step is the number of ends of one. The log says it first: a process that dies right after leaves an end that is
 * made again, whatever the settings are by then. Twice, or in two processes at once, is once. One that fails holds up no other: the first error is
 * thrown at the end.
 */
export async function* endDueDetails(ending: Ending): AsyncGenerator<number> {
  const { pool, days, now = Date.now } = ending
  const due = dueUntil(days, now())
  const faults: unknown[] = []
  let last: EndOfDetails | null = null
  for (;;) {
    const page: readonly EndOfDetails[] = await dueEnds(pool, due, { last, limit: PAGE })
    const before = faults.length
    for (const end of page) await endOne(ending, end).catch((error: unknown) => faults.push(error))
    yield page.length - (faults.length - before)
    if (page.length < PAGE) break
    last = page.at(-1)!
  }
  if (faults.length > 0) throw faults[0]
}

const endOne = async ({ commands, keyRing, now = Date.now }: Ending, end: EndOfDetails): Promise<void> => {
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

/**
 * Makes the ends again that the log knows and the keys do not, as where these were restored from an older copy; each step is a page of workspaces. One
 * that fails holds up no other: the first error is thrown at the end.
 */
export async function* repeatEnds(ending: Omit<Ending, 'commands' | 'days'>): AsyncGenerator<number> {
  const faults: unknown[] = []
  let last: string | null = null
  for (;;) {
    const ids: readonly string[] = await workspacesAfter(ending.pool, last, PAGE)
    const known = await ending.keyRing.endedDetails()
    for (const workspaceId of ids) await repeatEnd(ending, known, workspaceId).catch((error: unknown) => faults.push(error))
    yield 0
    if (ids.length < PAGE) break
    last = ids.at(-1)!
  }
  if (faults.length > 0) throw faults[0]
}

const repeatEnd = async (
  { log, keyRing }: Pick<Ending, 'log' | 'keyRing'>,
  known: Awaited<ReturnType<KeyRing['endedDetails']>>,
  workspaceId: string,
): Promise<void> => {
  const events = await log.readStream<RetentionEvent>(workspaceId, retentionStream(workspaceId))
  const ended = events.reduce<RetentionState>(retention.evolve, retention.initialState)
  for (const kind of DETAIL_KINDS) {
    const until = ended[kind]
    if (until !== null && until > (known.get(workspaceId)?.[kind] ?? '')) await keyRing.endDetails({ workspaceId, kind, until })
  }
}
