import { parse } from 'yaml'
import { settings } from '../../../packages/config/src/settings.ts'
import { table } from '../markdown.ts'
import { defaultsWithProviders } from './provider-settings.ts'

const source = defaultsWithProviders()

/** What the comment beside, or above, a setting says about it behind `VARIABLE:`. */
const meaningOf = (variable: string): string => {
  const comment = source.split('\n').find((line) => new RegExp(`# ${variable}\\b`).test(line))
  if (comment === undefined) throw new Error(`${variable} has no comment in tidings.defaults.yaml`)
  return comment.slice(comment.indexOf(variable) + variable.length).replace(/^[:;] */, '')
}

const shown = (value: unknown): string => {
  if (value === null) return 'unset'
  if (Array.isArray(value)) return value.length === 0 ? 'empty' : `\`${value.join(',')}\``
  return `\`${String(value)}\``
}

const at = (values: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (section, name) => (typeof section === 'object' && section !== null ? Reflect.get(section, name) : undefined),
    values,
  )

/** Every setting: its variable, its place in the file, its default, what it must be, what it means. */
export function configuration(): string {
  const defaults: unknown = parse(source)
  const rows = settings.map(({ path, notes: { env, must, secret } }) => [
    `\`${env}\``,
    `\`${path.join('.')}\``,
    shown(at(defaults, path)),
    `${must}${secret ? ' (secret: never shown)' : ''}`,
    meaningOf(env),
  ])
  return table(['variable', 'in the file', 'default', 'must be', 'meaning'], rows)
}
