import { readdirSync, readFileSync } from 'node:fs'
import { projections } from '@tidings/projectors'
import { ROOT, table } from '../markdown.ts'
import { purposes } from './table-purposes.ts'

const CREATE = /create (?:unlogged )?table (?:if not exists )?([\w.]+) \(([\s\S]*?)\n\)/g
const COLUMN = /^ {2}([a-z_]+) +(?!key)/gm

const ALTER = /^alter table ([\w.]+)\s([^;]*)/gm
const ADDED = /add column (?:if not exists )?([a-z_]+)/g

type Known = Readonly<{ name: string; columns: readonly string[]; from: string }>

const createdIn = (text: string, from: string): readonly Known[] =>
  [...text.matchAll(CREATE)].map(([, name = '', body = '']) => ({
    name,
    columns: [...body.matchAll(COLUMN)]
      .map(([, column = '']) => column)
      .filter((column) => !['primary', 'check', 'unique'].includes(column)),
    from,
  }))

/** Columns that a later migration gives to a table. */
const addedIn = (text: string, from: string): readonly Known[] =>
  [...text.matchAll(ALTER)].flatMap(([, name = '', body = '']) => {
    const columns = [...body.matchAll(ADDED)].map(([, column = '']) => column)
    return columns.length > 0 ? [{ name, columns, from }] : []
  })

/** Each table with all its columns, and the migrations that they are of. */
const ofMigrations = (): readonly Known[] => {
  const folder = `${ROOT}deploy/migrations/`
  const parts = readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [text, from] = [readFileSync(`${folder}${file}`, 'utf8'), `[${file.slice(0, 4)}](../../deploy/migrations/${file})`]
      return [...createdIn(text, from), ...addedIn(text, from)]
    })
  return [...Map.groupBy(parts, ({ name }) => name)].map(([name, of]) => ({
    name,
    columns: of.flatMap(({ columns }) => columns),
    from: [...new Set(of.map(({ from }) => from))].join(', '),
  }))
}

const ofProjections = (): readonly Known[] =>
  projections.flatMap(({ name: projection, tables }) =>
    tables.map(({ name, columns }) => ({ name: `read.${name}`, columns: Object.keys(columns), from: `projection \`${projection}\`` })),
  )

/** Every table: its purpose, its columns, and the migrations or the projection that make it. Throws for a table without a purpose. */
export function tables(): string {
  const rows = [...ofMigrations(), ...ofProjections()].map(({ name, columns, from }) => {
    const purpose = purposes[name]
    if (purpose === undefined) throw new Error(`${name} has no purpose in test/docs/generated/table-purposes.ts`)
    return [`\`${name}\``, purpose, columns.map((column) => `\`${column}\``).join(', '), from]
  })
  return table(['table', 'is', 'columns', 'made by'], rows)
}
