import pTimeout from 'p-timeout'
import type { ClientBase } from 'pg'
import { STARTED_AT } from './look-at-server.ts'
import { ServerLost, ServerUnfit } from './server-faults.ts'

/** Where the WAL ended of what a server showed, which was started then. Every later statement there shows that much. */
export type ShownPosition = Readonly<{ startedAt: string; lsn: bigint }>

/**
 * `floor`: the position that it has to show; null where anything will do. `known`: what it has shown before. `confirms`: whether a server that was started then, and was
 * asked at that moment, shows what was confirmed. `mustConfirm`: else it may not answer.
 */
export type AskedServer = Readonly<{
  isReplica: boolean
  floor: bigint | null
  known: () => readonly ShownPosition[]
  confirms: (startedAt: string, askedAt: number) => boolean
  mustConfirm: boolean
}>

export type JudgedPosition = ShownPosition & Readonly<{ isConfirmed: boolean }>

/** `replica`: whether it is one still. */
export type FoundPosition = ShownPosition & Readonly<{ replica: boolean }>

/** `before`: what the server had shown when it was asked; null where there is no floor. */
type FloorCheck = Readonly<{ before: ShownPosition | null; at: number }>

/** A statement's own snapshot is taken before it runs, so it shows at most this. */
export const POSITION = `pg_is_in_recovery() as replica, ${STARTED_AT},
  ((case when pg_is_in_recovery() then coalesce(pg_last_wal_replay_lsn(), '0/0') else pg_current_wal_insert_lsn() end) - '0/0'::pg_lsn)::int8 as lsn`

/** A statement that reads no table, or one row: without an answer by then the connection is one that the server does not know any more. */
const ANSWER_MS = 5_000

export async function answered<Result>(asked: Promise<Result>): Promise<Result> {
  const late = Symbol('late')
  const answer = await pTimeout(asked, { milliseconds: ANSWER_MS, fallback: () => late })
  if (answer === late) throw new ServerLost('a connection was not answered')
  return answer as Result
}

/** Makes sure that the next statement on the connection reaches the floor: the server has shown it before, or says so now. */
export async function reachFloor(client: ClientBase, { floor, known }: AskedServer): Promise<FloorCheck> {
  const before = floor === null ? null : (known().find(({ lsn }) => lsn >= floor) ?? (await lookFor(floor, client)))
  return { before, at: performance.now() }
}

const lookFor = async (floor: bigint, client: ClientBase): Promise<ShownPosition> => {
  const { rows } = await answered(client.query<FoundPosition>(`select ${POSITION}`))
  const [now] = rows
  if (now === undefined || now.lsn < floor) throw new ServerUnfit('it shows less than the caller has seen')
  return now
}

/** What a statement found of its own server, unless that may not answer it. */
export function judge(
  found: FoundPosition | undefined,
  { isReplica, confirms, mustConfirm }: AskedServer,
  { before, at }: FloorCheck,
): JudgedPosition {
  if (found === undefined) throw new Error('a statement did not say what it shows')
  const { replica, startedAt, lsn } = found
  if (isReplica && !replica) throw new ServerUnfit('it was promoted')
  if (before !== null && before.startedAt !== startedAt) throw new ServerUnfit('it was started again, and may show less')
  // Where the primary was asked, a standby may have taken its address since the last look.
  const isConfirmed = isReplica === replica && confirms(startedAt, at)
  if (mustConfirm && !isConfirmed) throw new ServerUnfit('it may not show every write that was confirmed')
  return { startedAt, lsn, isConfirmed }
}
