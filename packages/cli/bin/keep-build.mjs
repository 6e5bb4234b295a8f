// Keeps what was made from the sources in the cache, under a name and the state of the files that it was made from.
import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { CACHE, recordOf, stateOf } from './current-bundle.mjs'

/** A running process may still load a part of what it began with. */
const KEPT = 5
/** A draft as old as that is of one that was killed. */
const DRAFT_MS = 3_600_000

/** The folder that something is made in before it is published. */
export const draftOf = (name) => join(CACHE, `draft-${name}-${process.pid}`)

/** Two at once publish the same. `main`: the file of the draft by which it is found. `stamps`: those of the files it was made from. */
export function publish(name, { stamps, main }) {
  const [draft, state] = [draftOf(name), stateOf([...stamps.values()])]
  const folder = `${name}-${state}`
  try {
    if (!existsSync(join(CACHE, folder))) renameSync(draft, join(CACHE, folder))
  } catch (error) {
    if (!existsSync(join(CACHE, folder))) throw error
  }
  rmSync(draft, { recursive: true, force: true })
  const record = `${recordOf(name)}.${process.pid}`
  writeFileSync(record, JSON.stringify({ files: [...stamps.keys()], state, main: `${folder}/${main}` }))
  renameSync(record, recordOf(name))
  removeOld(name)
}

/** When it was made; before everything else where another process has removed it meanwhile. */
const madeAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

function removeOld(name) {
  const names = readdirSync(CACHE)
  const drafts = names.filter((one) => one.startsWith('draft-') && madeAt(join(CACHE, one)) < Date.now() - DRAFT_MS)
  for (const draft of drafts) rmSync(join(CACHE, draft), { recursive: true, force: true })
  const folders = names.filter((one) => one.startsWith(`${name}-`)).map((one) => join(CACHE, one))
  for (const folder of folders.sort((one, other) => madeAt(other) - madeAt(one)).slice(KEPT))
    rmSync(folder, { recursive: true, force: true })
}
