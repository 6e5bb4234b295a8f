import { readdirSync, readFileSync } from 'node:fs'
import { projections } from '@tidings/projectors'
import { ROOT, table } from '../markdown.ts'
import { purposes } from './table-purposes.ts'

const CREATE = /create (?:unlogged )?table (?:if not exists )?([\w.]+) \(([\s\S]*?)\n\)/g
const COLUMN = /^ {2}([a-z_]+) +(?!key)/gm

/** What one row is, as the migration says it. */
const COMMENT = /^comment on table ([\w.]+) is\s+'((?:[^']|'')*)';/gm

type Described = Readonly<{ name: string; purpose: string | undefined; columns: readonly string[]; from: string }>

const createdIn = (text: string, from: string): readonly Described[] => {
  const comments = new Map([...text.matchAll(COMMENT)].map(([, name = '', comment = '']) => [name, comment.replaceAll("''", "'")]))
  return [...text.matchAll(CREATE)].map(([, name = '', body = '']) => ({
    name,
    purpose: comments.get(name),
    columns: [...body.matchAll(COLUMN)]
      .map(([, column = '']) => column)
      .filter((column) => !['primary', 'check', 'unique'].includes(column)),
    from,
  }))
}

const ALTER = /^alter table ([\w.]+)\s([^;]*)/gm
const ADDED = /add column (?:if not exists )?([a-z_]+)/g

/** Columns that a later migration gives to a table. */
const addedIn = (text: string, from: string): readonly Described[] =>
  [...text.matchAll(ALTER)].flatMap(([, name = '', body = '']) => {
    const columns = [...body.matchAll(ADDED)].map(([, column = '']) => column)
    return columns.length > 0 ? [{ name, purpose: undefined, columns, from }] : []
  })

/** Each table with all its columns, and the migrations that made it. */
const ofMigrations = (): readonly Described[] => {
  const folder = `${ROOT}deploy/migrations/`
  const parts = readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [text, from] = [readFileSync(`${folder}${file}`, 'utf8'), `[${file.slice(0, 4)}](../../deploy/migrations/${file})`]
      return [...createdIn(text, from), ...addedIn(text, from)]
    })
  return [...Map.groupBy(parts, ({ name }) => name)].map(([name, of]) => ({
    name,
    purpose: of.find(({ purpose }) => purpose !== undefined)?.purpose,
    columns: of.flatMap(({ columns }) => columns),
    from: [...new Set(of.map(({ from }) => from))].join(', '),
  }))
}

const ofProjections = (): readonly Described[] =>
  projections.flatMap(({ name: projection, tables }) =>
    tables.map(({ name, columns }) => ({
      name: `read.${name}`,
      purpose: purposes[`read.${name}`],
      columns: Object.keys(columns),
      from: `projection \`${projection}\``,
    })),
  )

/** Every table: its purpose, its columns, and the migrations or the projection that make it. Throws for a table without a purpose. */
export function tables(): string {
  const rows = [...ofMigrations(), ...ofProjections()].map(({ name, purpose, columns, from }) => {
    if (purpose === undefined) throw new Error(`${name} has no comment in deploy/migrations, or no purpose in table-purposes.ts`)
    return [`\`${name}\``, purpose, columns.map((column) => `\`${column}\``).join(', '), from]
  })
  return table(['table', 'is', 'columns', 'made by'], rows)
}
