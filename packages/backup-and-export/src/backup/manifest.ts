import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OperationFailed } from '@tidings/config'
import { assertReleased, type Migration } from './schema.ts'
import { KEPT } from './tables.ts'

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const table = Type.Object({
  name: Type.Union(KEPT.map((name) => Type.Literal(name))),
  rows: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  sha256,
})

const schema = Type.Object({
  format: Type.Literal(1),
  createdAt: Type.String(),
  /** The position of the last event in it, as text; null when there is none. */
  head: Type.Union([Type.String({ pattern: '^[0-9]+$' }), Type.Null()]),
  migrations: Type.Array(Type.Object({ name: Type.String({ minLength: 1 }), sha256 }), { minItems: 1 }),
  /** Ids of the master keys its subject keys are wrapped by. */
  masterKeys: Type.Array(Type.String({ pattern: '^[0-9a-f]{8}$' })),
  masterKeyIncluded: Type.Boolean(),
  /** Whether the key of web push is in it; older backups do not say. */
  vapidKeyIncluded: Type.Optional(Type.Boolean()),
  /** Variables of the settings that were set and are secret: they are not in the backup. */
  secretsLeftOut: Type.Array(Type.String()),
  /** The tables in the order in which they are put back. */
  tables: Type.Array(table),
})

/** How a table's file is found whole: the rows in it, its size and its checksum as it lies on disk. */
export type CopiedTable = Readonly<Static<typeof table>>

/** The description that a backup has of itself. It is written last, so that a folder without it is none. */
export type Manifest = Readonly<
  Omit<Static<typeof schema>, 'migrations' | 'masterKeys' | 'secretsLeftOut' | 'tables'> & {
    migrations: readonly Migration[]
    masterKeys: readonly string[]
    secretsLeftOut: readonly string[]
    tables: readonly CopiedTable[]
  }
>

const NAME = 'manifest.json'

export function writeManifest(directory: string, manifest: Manifest): Promise<void> {
  return writeFile(join(directory, NAME), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The migrations alone: a manifest of an unreleased version names tables that this version does not have. */
const migrations = Type.Object({ migrations: schema.properties.migrations })

const isManifest = (value: unknown): value is Manifest => Value.Check(schema, value)

/** Throws one sentence where there is no backup, one of an unreleased version, or one that this version does not understand. */
export async function readManifest(directory: string): Promise<Manifest> {
  const text = await readFile(join(directory, NAME), 'utf8').catch(() => {
    throw new OperationFailed(`${directory} is not a backup of Tidings: there is no ${NAME} in it.`)
  })
  const manifest = parsed(text)
  if (Value.Check(migrations, manifest)) assertReleased('backup', manifest.migrations)
  if (isManifest(manifest)) return manifest
  throw new OperationFailed(
    `${join(directory, NAME)} is damaged, or was written by another version of Tidings: use that version, or another backup.`,
  )
}

/** The size of all its tables' files. */
export function bytesOf({ tables }: Manifest): number {
  return tables.reduce((sum, { bytes }) => sum + bytes, 0)
}
