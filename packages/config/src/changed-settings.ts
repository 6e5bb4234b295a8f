import { isDeepStrictEqual } from 'node:util'
import { stringify } from 'yaml'
import { loadConfig } from './load-config.ts'
import type { Config } from './schema.ts'
import { settings } from './settings.ts'

/** `file`: a configuration file that sets what was changed. `secrets`: the variables of what was changed and is secret, so not in it. */
export type ChangedSettings = Readonly<{ file: string; secrets: readonly string[] }>

type Section = { [name: string]: unknown }

/** The location of an installation says nothing about how it works. */
const OF_THE_PLACE = 'TIDINGS_DATA_DIR'

/** The settings that differ from the defaults, however they were set. */
export function changedSettings(config: Config): ChangedSettings {
  const defaults = loadConfig({}, null)
  const changed = settings.filter(({ path, notes }) => {
    return notes.env !== OF_THE_PLACE && !isDeepStrictEqual(valueAt(config, path), valueAt(defaults, path))
  })
  const values: Section = {}
  for (const { path } of changed.filter(({ notes }) => notes.secret !== true)) put(values, path, valueAt(config, path))
  const secrets = changed.filter(({ notes }) => notes.secret === true).map(({ notes }) => notes.env)
  const title = '# The settings that differ from the defaults, for tidings.yaml or the file named in TIDINGS_CONFIG.\n'
  const left = secrets.length === 0 ? '' : `# Set as secrets, and not here: ${secrets.join(', ')}.\n`
  return { file: `${title}${left}${Object.keys(values).length === 0 ? '' : stringify(values)}`, secrets }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((section, name) => (isSection(section) ? section[name] : undefined), value)
}

function put(values: Section, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path
  if (rest.length === 0) {
    values[name] = value
    return
  }
  const section = values[name]
  const inside: Section = isSection(section) ? section : {}
  values[name] = inside
  put(inside, rest, value)
}

function isSection(value: unknown): value is Section {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
