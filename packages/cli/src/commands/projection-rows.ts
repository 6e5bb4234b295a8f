import { readRows } from '@tidings/analyst/run'
import { withOperator } from '../operator/with-operator.ts'
import { WrongUsage } from '../terminal/answer.ts'
import { columns } from '../terminal/fact-lines.ts'

const TABLE = /^([a-z][a-z0-9_]{0,62})\.([a-z][a-z0-9_]{0,62})$/

const cell = (value: unknown): string => (typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value))

/** The rows under the names of their columns; none where there are no rows. */
export function tableLines(rows: readonly object[]): readonly string[] {
  const [first] = rows
  return first === undefined ? [] : columns([Object.keys(first), ...rows.map((row) => Object.values(row).map(cell))])
}

/** `tidings projection rows SCHEMA.TABLE`: what a projection file has filled. */
export async function rows(name: string, { limit, json }: Readonly<{ limit: number; json: boolean }>): Promise<void> {
  const [, schema, table] = TABLE.exec(name) ?? []
  if (schema === undefined || table === undefined)
    throw new WrongUsage(`${name} is no table: give SCHEMA.TABLE, as \`projection run\` prints it.`)
  await withOperator(json, async ({ stores }) => {
    const read = await readRows({ pool: stores.pool, schema, table, limit: limit + 1 })
    const [items, more] = [read.slice(0, limit), read.length > limit]
    const rest = more ? [`There are more rows: these are the first ${limit} (--limit).`] : []
    return { json: { items, more }, lines: items.length === 0 ? [`${name} has no rows.`] : [...tableLines(items), ...rest] }
  })
}
