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

/** The last day of a week that ends has been over for so many days. */
export function dueUntil(days: RetentionDays, now: number): Due {
  const kinds = DETAIL_KINDS.flatMap((kind) => {
    const kept = days[kind]
    return kept === null ? [] : [[kind, { days: kept, until: weekOf(new Date(now - kept * DAY_MS).toISOString()) }] as const]
  })
  return Object.fromEntries(kinds)
}

/**
 * Ends what is due, at most `limit`; answers how many. The log says it first: a process that dies right after leaves an end that is made again,
 * whatever the settings are by then. Twice, or in two processes at once, is once.
 */
export async function endDueDetails(ending: Ending, limit: number): Promise<number> {
  const { pool, days, now = Date.now } = ending
  const due = await dueEnds(pool, dueUntil(days, now()), limit)
  for (const end of due) await endOne(ending, end)
  return due.length
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
 * Makes the ends again that the log knows and the keys do not, as where these were restored from an older copy; answers for how many workspaces
 * behind `last` it has looked, and the last of them.
 */
export async function repeatEnds(
  { log, pool, keyRing }: Omit<Ending, 'commands' | 'days'>,
  { last, limit }: Readonly<{ last: string | null; limit: number }>,
): Promise<Readonly<{ looked: number; last: string | null }>> {
  const ids = await workspacesAfter(pool, last, limit)
  const known = await keyRing.endedDetails()
  for (const workspaceId of ids) {
    const events = await log.readStream<RetentionEvent>(workspaceId, retentionStream(workspaceId))
    const ended = events.reduce<RetentionState>(retention.evolve, retention.initialState)
    for (const kind of DETAIL_KINDS) {
      const until = ended[kind]
      if (until !== null && until > (known.get(workspaceId)?.[kind] ?? '')) await keyRing.endDetails({ workspaceId, kind, until })
    }
  }
  return { looked: ids.length, last: ids.at(-1) ?? last }
}
