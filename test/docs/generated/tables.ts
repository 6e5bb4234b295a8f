import { readdirSync, readFileSync } from 'node:fs'
import { projections } from '@tidings/projectors'
import { ROOT, table } from '../markdown.ts'
import { purposes } from './table-purposes.ts'

const CREATE = /create (?:unlogged )?table (?:if not exists )?([\w.]+) \(([\s\S]*?)\n\)/g
const COLUMN = /^ {2}([a-z_]+) +(?!key)/gm

type Known = Readonly<{ name: string; columns: readonly string[]; from: string }>

const ofMigrations = (): readonly Known[] => {
  const folder = `${ROOT}deploy/migrations/`
  return readdirSync(folder)
    .sort()
    .flatMap((file) =>
      [...readFileSync(`${folder}${file}`, 'utf8').matchAll(CREATE)].map(([, name = '', body = '']) => ({
        name,
        columns: [...body.matchAll(COLUMN)]
          .map(([, column = '']) => column)
          .filter((column) => !['primary', 'check', 'unique'].includes(column)),
        from: `[${file.slice(0, 4)}](../../deploy/migrations/${file})`,
      })),
    )
}

const ofProjections = (): readonly Known[] =>
  projections.flatMap(({ name: projection, tables }) =>
    tables.map(({ name, columns }) => ({ name: `read.${name}`, columns: Object.keys(columns), from: `projection \`${projection}\`` })),
  )

/** Every table: its purpose, its columns, and the migration or projection that creates it. Throws for a table without a purpose. */
export function tables(): string {
  const rows = [...ofMigrations(), ...ofProjections()].map(({ name, columns, from }) => {
    const purpose = purposes[name]
    if (purpose === undefined) throw new Error(`${name} has no purpose in test/docs/generated/table-purposes.ts`)
    return [`\`${name}\``, purpose, columns.map((column) => `\`${column}\``).join(', '), from]
  })
  return table(['table', 'is', 'columns', 'made by'], rows)
}
