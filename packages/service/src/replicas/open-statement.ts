import type { PoolClient, QueryResult } from 'pg'
import type { OpenSnapshot, SnapshotPlace } from './open-snapshot.ts'
import { faultOnReplica } from './server-faults.ts'
import { answered, type JudgedPosition, judge, POSITION, reachFloor } from './shown-position.ts'

type Statement = Readonly<{ name?: string; text: string; values?: unknown[] }>

/** One column more: null in the rows of the statement, and in one row beside them what the server says of itself. */
const withPosition = (text: string): string =>
  `select "@".at as "@at", "rows".* from (select concat_ws('|', replica, lsn, "startedAt") as at from (select ${POSITION}) said) "@" full join (${text}) "rows" on false`

const positionIn = (said: string) => {
  const [replica = '', lsn = '', startedAt = ''] = said.split('|')
  return { replica: replica === 't', lsn: BigInt(lsn), startedAt }
}

type Positioned = Readonly<{ '@at': string | null }>

/** Work that had a snapshot for one statement asked for another one. */
export class SecondStatement extends Error {
  constructor() {
    super('a look-up is one statement')
  }
}

/** The snapshot of a single statement, which says itself what it shows: one round trip, without a transaction. The order of its rows is lost. */
export function openStatement(place: SnapshotPlace): OpenSnapshot {
  let client: PoolClient | undefined
  let shown: JudgedPosition | null = null
  let isOver = false
  let isAsked = false

  const release = (broken: boolean): void => {
    isOver = true
    const own = client
    client = undefined
    own?.release(broken)
  }

  const ask = async (own: PoolClient, { name, text, values }: Statement): Promise<QueryResult> => {
    const asking = await reachFloor(own, place)
    const statement = { ...(name !== undefined && { name: `${name}_at` }), text: withPosition(text), ...(values && { values }) }
    const { rows, ...result } = await answered(own.query<Positioned>(statement)).catch((error: unknown) => {
      throw place.isReplica ? faultOnReplica(error) : error
    })
    const said = rows.find((row) => row['@at'] !== null)?.['@at']
    shown = judge(said == null ? undefined : positionIn(said), place, asking)
    return { ...result, rows: rows.flatMap(({ '@at': at, ...row }) => (at === null ? [row] : [])) }
  }

  const connect = async (): Promise<PoolClient> => {
    if (isAsked) throw new SecondStatement()
    isAsked = true
    const own = await place.pool.connect()
    client = own
    if (isOver) release(true)
    const query = (statement: string | Statement, values?: unknown[]): Promise<QueryResult> =>
      ask(own, typeof statement === 'string' ? { text: statement, ...(values && { values }) } : statement)
    return Object.assign(Object.create(own) as PoolClient, { query, release: () => undefined })
  }

  return { connect, shown: () => shown, end: () => release(false), destroy: () => release(true) }
}
