import type { CompiledQuery, Kysely } from 'kysely'

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
