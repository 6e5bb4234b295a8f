import { setTimeout as sleep } from 'node:timers/promises'
import { OperationFailed } from '@tidings/config'
import type { WorkspaceId } from '@tidings/domain'
import { type Position, START } from '@tidings/event-store'
import { giveGrants } from '@tidings/postgres'
import type { Client, Pool } from 'pg'
import type { AnyTable } from '../table.ts'
import { assertSame } from './assert-same.ts'
import { type Contents, createCheckpoint, moveCheckpoint, readCheckpoint } from './checkpoint.ts'
import type { Changes } from './fold.ts'
import type { ProjectionFile } from './load-file.ts'
import { emptySchema, type Login, signIn } from './role.ts'
import { statements } from './statement.ts'
import { createTableSql, lineOf, remove, type Statement, selectByKeys, upsert } from './table-sql.ts'

export type SessionOptions = Readonly<{
  file: ProjectionFile
  /** The service's own connections: they make the role and the schema, and nothing else. */
  pool: Pool
  schema: string
  workspaceId: WorkspaceId | null
  personal: boolean
  /** Exclusive; null: from where the schema is, or the beginning. */
  from: Position | null
  restart: boolean
}>

/**
 * One connection under the projection's role, which has the schema to itself. `position` is what its tables held when it began, `events` how many
 * had been applied by then.
 */
export type Session = Readonly<{ client: Client; schema: string; position: Position; events: bigint; close: () => Promise<void> }>

/** Another connection has the schema: another run, or one of this run's own that the server has not seen end. */
export class SchemaTaken extends OperationFailed {}

/** The connection of a process that was killed lasts until its server sees that: some seconds where that is busy. */
const LOCK_TRIES = 100
const LOCK_RETRY_MS = 100

const lock = async (client: Client, schema: string): Promise<void> => {
  for (let n = 0; n < LOCK_TRIES; n++) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtextextended($1, 0)) as taken', [
      `analyst run ${schema}`,
    ])
    if (rows[0]?.taken === true) return
    await sleep(LOCK_RETRY_MS)
  }
  throw new SchemaTaken(`Another run fills schema ${schema}: stop it first, or fill another schema with --schema NAME.`)
}

/** All of `work` or none of it. */
export async function inTransaction(client: Client, work: () => Promise<void>): Promise<void> {
  await client.query('begin')
  try {
    await work()
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => undefined) // a lost connection has rolled back by itself
    throw error
  }
}

const begin = async (client: Client, { file, schema }: SessionOptions, contents: Contents): Promise<void> => {
  const { tables, init } = file.projection
  const { sql, end } = statements(client)
  await inTransaction(client, async () => {
    for (const table of Object.values(tables)) await client.query(createTableSql(schema, table))
    await init?.(sql)
    await createCheckpoint(client, schema, contents)
  })
    .catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      throw new OperationFailed(`${file.name} cannot begin, its init or its tables were refused: ${why}`, { cause: error })
    })
    .finally(end)
}

type Begun = Readonly<{ position: Position; events: bigint }>

const goOn = async (client: Client, login: Login, options: SessionOptions): Promise<Begun> => {
  const { file, pool, schema, workspaceId, personal, from, restart } = options
  const wanted = { projection: file.projection.name, hash: file.hash, workspaceId, personal }
  const grants = restart ? await emptySchema(pool, login) : []
  const filled = await readCheckpoint(client, schema)
  if (filled !== null) {
    assertSame(schema, filled, { ...wanted, file: file.name, from })
    return filled
  }
  await begin(client, options, { ...wanted, from: from ?? START })
  await giveGrants(client, schema, grants)
  return { position: from ?? START, events: 0n }
}

/** Makes what is missing and goes on where the schema is. One sentence where it must not. */
export async function openSession(options: SessionOptions): Promise<Session> {
  const { login, client } = await signIn(options.pool, options.schema)
  const close = async () => void (await client.end().catch(() => undefined)) // its own end is all that is wanted
  try {
    await lock(client, options.schema)
    const { position, events } = await goOn(client, login, options)
    return { client, schema: options.schema, position, events, close }
  } catch (error) {
    await close()
    throw error
  }
}

type Move = Readonly<{ from: Position; to: Position; events: number }>

/** Some hundred KB a statement. */
const ROWS_A_STATEMENT = 5_000

const inParts = async <T>(items: readonly T[], work: (part: readonly T[]) => Promise<unknown>): Promise<void> => {
  for (let from = 0; from < items.length; from += ROWS_A_STATEMENT) await work(items.slice(from, from + ROWS_A_STATEMENT))
}

/** Writes what a batch changed, and where it led, in one transaction. */
export async function commitChanges({ client, schema }: Session, changes: Changes, move: Move): Promise<void> {
  const run = ({ text, values }: Statement): Promise<unknown> => client.query({ text, values: [...values] })
  await inTransaction(client, async () => {
    for (const [table, changed] of changes) {
      const gone = changed.filter(({ row }) => row === null).map(({ key }) => key)
      const kept = changed.flatMap(({ row }) => row ?? [])
      await inParts(gone, (keys) => run(remove(schema, table, keys)))
      await inParts(kept, (rows) => run(upsert(schema, table, rows)))
    }
    await moveCheckpoint(client, schema, move)
  })
}

/** Rows of a table by key text. */
export async function loadRows(
  { client, schema }: Session,
  table: AnyTable,
  keys: ReadonlyMap<string, readonly unknown[]>,
): Promise<ReadonlyMap<string, object>> {
  const texts = [...keys.keys()]
  const { text, values } = selectByKeys(schema, table, [...keys.values()])
  const { rows } = await client.query<Readonly<Record<string, unknown>>>(text, [...values])
  return new Map(
    rows.map((line) => {
      const { index, row } = lineOf(table, line)
      return [texts[index] ?? '', row]
    }),
  )
}
