import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { OperationFailed } from '@tidings/config'
import { printAnswer, WrongUsage } from '../terminal/answer.ts'

const NAME = /^[a-z][a-z0-9_-]{0,47}$/

/** A projection that runs as it is, and shows each part once. */
const firstFile = (name: string): string => `import { projection, table } from '@tidings/analyst'

// A table of your own. The rows of one key are one row.
const perDay = table({
  name: 'contacts_per_day',
  columns: { workspace_id: 'uuid', day: 'date', source: 'text', contacts: 'integer' },
  key: ['workspace_id', 'day', 'source'],
})

export default projection({
  name: '${name.replaceAll('-', '_')}',
  // docs/reference/events.md lists the events and their fields.
  events: ['ContactCreated'],
  tables: { perDay },
  apply(event, { perDay }) {
    const [workspace_id, day, source] = [event.workspaceId, event.at.slice(0, 10), event.data.source]
    const row = perDay.get(workspace_id, day, source) ?? { workspace_id, day, source, contacts: 0 }
    perDay.put({ ...row, contacts: row.contacts + 1 })
  },
})
`

/** The package stands ready in an installation from npm; in a checkout the script makes it. */
const PACKAGE = fileURLToPath(new URL('../../../../analyst', import.meta.url))
const SCRIPT = fileURLToPath(new URL('../../../../deploy/build-analyst-package.mjs', import.meta.url))

/** How an editor finds the types of a file in that folder; null where it finds them already. The file runs without. */
function waysToTypes(folder: string): string | null {
  if (hasTypes(folder)) return null
  if (existsSync(join(PACKAGE, 'package.json'))) return `npm install ${quoted(PACKAGE)}`
  const script = existsSync(SCRIPT) ? quoted(SCRIPT) : 'deploy/build-analyst-package.mjs'
  return `node ${script} tidings-analyst && npm install ./tidings-analyst`
}

/** As the compiler looks, which knows no NODE_PATH. */
const hasTypes = (folder: string): boolean =>
  existsSync(join(folder, 'node_modules/@tidings/analyst')) || (dirname(folder) !== folder && hasTypes(dirname(folder)))

/** As one word of a shell. */
const quoted = (path: string): string => (/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** `tidings projection new NAME`: writes the file into the current folder. */
export async function create(name: string, { json }: Readonly<{ json: boolean }>): Promise<void> {
  if (!NAME.test(name)) throw new WrongUsage(`${name} cannot be a name: use lower-case letters, digits, - and _, at most 48.`)
  const file = `${name}.projection.ts`
  await writeFile(file, firstFile(name), { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'EEXIST' ? 'is there already: choose another name' : `cannot be written (${error.message})`
    throw new OperationFailed(`${file} ${why}.`, { cause: error })
  })
  const types = waysToTypes(process.cwd())
  const lines = [
    `Wrote ${file}. Run it with: tidings projection run ${file}`,
    ...(types === null ? [] : [`For its types in an editor: ${types}`]),
  ]
  printAnswer({ json: { file }, lines }, json)
}
