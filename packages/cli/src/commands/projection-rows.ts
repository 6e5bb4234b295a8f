import { readRows } from '@tidings/analyst/run'
import { withOperator } from '../operator/with-operator.ts'
import { listAnswer, WrongUsage } from '../terminal/answer.ts'

const TABLE = /^([a-z][a-z0-9_]{0,62})\.([a-z][a-z0-9_]{0,62})$/

const line = (row: object): string =>
  Object.values(row)
    .map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)))
    .join('  ')

/** `tidings projection rows SCHEMA.TABLE`: what a projection file has filled. */
export async function rows(name: string, { limit, json }: Readonly<{ limit: number; json: boolean }>): Promise<void> {
  const [, schema, table] = TABLE.exec(name) ?? []
  if (schema === undefined || table === undefined)
    throw new WrongUsage(`${name} is no table: give SCHEMA.TABLE, as \`projection run\` prints it.`)
  await withOperator(json, async ({ stores }) =>
    listAnswer(await readRows({ pool: stores.pool, schema, table, limit }), line, `${name} has no rows.`),
  )
}
