import { parseKafkaSasl } from './kafka-sasl.ts'
import type { Config } from './schema.ts'
import { settings } from './settings.ts'

const PASSWORDS = /:\/\/[^:@/\s]*:([^@/\s]+)@/g

/** A shorter one that is no part of an address is a word, such as the name of a provider. */
const LEAST_LENGTH = 16

/** Every secret that the configuration has, and each password inside an address, the longest first: no answer may show any. */
export function secretValues(config: Config): readonly string[] {
  const texts = settings.flatMap(({ path, notes }) =>
    [path.reduce<unknown>((section, name) => Object(section)[name], config)]
      .flat()
      .flatMap((value) => (typeof value === 'string' ? [{ value, isSecret: notes.secret === true }] : [])),
  )
  const whole = texts.filter(({ value, isSecret }) => isSecret && !value.includes('://') && value.length >= LEAST_LENGTH)
  const passwords = texts.flatMap(({ value }) =>
    [...value.matchAll(PASSWORDS)].flatMap(([, password = '']) => [password, decoded(password)]),
  )
  const login = config.kafka.sasl === null ? null : parseKafkaSasl(config.kafka.sasl)
  const all = new Set([...whole.map(({ value }) => value), ...passwords, ...(login === null ? [] : [login.password])])
  return [...all].toSorted((one, other) => other.length - one.length)
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
