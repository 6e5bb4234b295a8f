import { createHash } from 'node:crypto'
import { type CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { isOfChangedColumns } from './transaction.ts'

/** Texts that are prepared, over all pools. The code writes fewer; a query that is built without end stays unprepared beyond it. */
const MAX_NAMES = 500
const names = new Map<string, string>()
/** So many names were given up because the columns of a table had changed. */
let renamed = 0
const clients = new WeakMap<PoolClient, PostgresPoolClient>()

const nameOf = (text: string): string | undefined => {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_NAMES) return known
  const name = `k_${createHash('sha1').update(text).digest('hex').slice(0, 20)}`
  names.set(text, name)
  return name
}

/** Another process may put tables of other columns in the place of those for which a statement was prepared. It is prepared anew; in a transaction, which is lost, by the next one. */
const ask = async (client: PoolClient, text: string, values: unknown[]): Promise<QueryResult> => {
  const name = nameOf(text)
  if (name === undefined) return await client.query(text, values)
  try {
    return await client.query({ name, text, values })
  } catch (error) {
    if (!isOfChangedColumns(error)) throw error
    if (names.get(text) === name) names.set(text, `${name.slice(0, 22)}_${++renamed}`)
    return await client.query({ name: names.get(text) ?? name, text, values }).catch(() => {
      throw error
    })
  }
}

/** The edge between Kysely, which never names a statement, and pg, which prepares the ones that have a name: one name a text. A look-up by key takes 0.9 ms instead of 1.4 on a busy machine. */
const preparing = (client: PoolClient): PostgresPoolClient => {
  const known = clients.get(client)
  if (known) return known
  const wrapped = Object.create(client) as PoolClient
  wrapped.query = ((query: unknown, values: unknown[]) =>
    typeof query === 'string' ? ask(client, query, values) : client.query(query as string, values)) as PoolClient['query']
  clients.set(client, wrapped as PostgresPoolClient)
  return wrapped as PostgresPoolClient
}

/** A Kysely query builder over a pool that it does not own: do not `destroy` it, end the pool instead. Its statements are prepared. */
export function kyselyOn<Schema>(pool: Pool): Kysely<Schema> {
  const prepared: PostgresPool = { options: pool.options, connect: async () => preparing(await pool.connect()), end: () => pool.end() }
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool: prepared }) })
}

type Compilable<Row> = Readonly<{ compile: () => CompiledQuery<Row> }>

/**
 * A query that Kysely builds once and Postgres prepares once; every run only brings its values, which must appear in the query in the
 * order of the arguments. Building and compiling anew costs the process more than the look-up itself.
 */
export function compiledQuery<Schema, Args extends readonly (string | readonly string[])[], Row>(
  db: Kysely<Schema>,
  build: (...args: Args) => Compilable<Row>,
): (...args: Args) => Promise<readonly Row[]> {
  let compiled: CompiledQuery<Row> | undefined
  const compile = (args: Args): CompiledQuery<Row> => {
    const query = build(...args)
    const { parameters, ...rest } = query.compile()
    if (parameters.length !== args.length || !parameters.every((value, n) => value === args[n])) {
      throw new Error('the values of a compiled query must be its arguments, in their order')
    }
    return { ...rest, parameters }
  }
  return async (...args) => {
    compiled ??= compile(args)
    return (await db.executeQuery<Row>({ ...compiled, parameters: args })).rows
  }
}

type Explained = Readonly<{ 'QUERY PLAN': readonly Readonly<{ Plan: Readonly<{ 'Plan Rows': number }> }>[] }>

/**
 * Rows that the planner expects of a table, with a condition or without: from its statistics and its size, without reading a row of it.
 * Autovacuum keeps it within some per cent of a large table. `from` is SQL: never text of a caller.
 */
export async function estimatedRows(pool: Pool, from: string): Promise<number> {
  const { rows } = await pool.query<Explained>(`explain (format json) select from ${from}`)
  return rows[0]?.['QUERY PLAN'][0]?.Plan['Plan Rows'] ?? 0
}
