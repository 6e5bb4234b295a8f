import { open, readFile, rename } from 'node:fs/promises'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { OperationFailed } from '@tidings/config'

/** The progress of an export: the file up to `bytes` has every event that was asked for up to `to`, and nothing else. */
export type Reached = Readonly<{
  bytes: number
  events: number
  to: string | null
  /** The last event that was read: by it the log is recognised. */
  seen: Readonly<{ stream: string; revision: number; id: string }> | null
  /** The state that the format needs to go on. */
  encoding: string | null
}>

const Unfinished = Type.Object({
  version: Type.Literal(1),
  asked: Type.String(),
  /** The file was made by this export; before that it is missing or empty. */
  begun: Type.Boolean(),
  bytes: Type.Integer({ minimum: 0 }),
  events: Type.Integer({ minimum: 0 }),
  to: Type.Union([Type.String(), Type.Null()]),
  seen: Type.Union([Type.Object({ stream: Type.String(), revision: Type.Integer(), id: Type.String() }), Type.Null()]),
  encoding: Type.Union([Type.String(), Type.Null()]),
})

export type Unfinished = Readonly<Static<typeof Unfinished>>

/** The file beside an export that is not finished. */
export function unfinishedPath(file: string): string {
  return `${file}.unfinished.json`
}

/** Null where there is none. Throws one sentence where it is not what this program writes. */
export async function readUnfinished(file: string): Promise<Unfinished | null> {
  const path = unfinishedPath(file)
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (text === null) return null
  try {
    return Value.Decode(Unfinished, JSON.parse(text))
  } catch (error) {
    throw new OperationFailed(`${path} cannot be read: delete it and ${file} to begin the export anew.`, { cause: error })
  }
}

/** Replaces it as a whole, and durably: a crash leaves the one before or this one. */
export async function writeUnfinished(file: string, unfinished: Unfinished): Promise<void> {
  const path = unfinishedPath(file)
  const draft = await open(`${path}.new`, 'w', 0o600)
  try {
    await draft.writeFile(JSON.stringify(unfinished))
    await draft.datasync()
  } finally {
    await draft.close()
  }
  await rename(`${path}.new`, path)
}
