import { parseKafkaSasl } from './kafka-sasl.ts'
import type { Config } from './schema.ts'
import { settings } from './settings.ts'

/** A login ends at the last `@` before the path: people write addresses of mailboxes and passwords with another one in it. */
const LOGINS = /:\/\/([^/?#\s]*)@/g
const PARAMETERS = /[?&](?:password|passwd|pass|secret|token|api_?key|access_?key)=([^&#,\s]+)/gi

/** A shorter one that is no part of an address is a word, such as the name of a provider. */
const LEAST_LENGTH = 16
/** A shorter one may be a part of words that have nothing to do with it. */
const SURE_LENGTH = 8

/** A user without a password may be a token. */
type Login = Readonly<{ user: string; password: string }>

/** Takes every secret that the configuration has, and each password inside an address, out of a text, as it is written and as servers quote it. */
export function withoutSecrets(config: Config): (text: string) => string {
  const forms = secretForms(config).map((form) => {
    const escaped = form.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)
    return form.length >= SURE_LENGTH ? escaped : String.raw`(?<![\p{L}\p{N}])${escaped}(?![\p{L}\p{N}])`
  })
  if (forms.length === 0) return (text) => text
  const any = new RegExp(forms.join('|'), 'gu')
  return (text) => text.replaceAll(any, '[redacted]')
}

/** The longest first: one may be a part of another. */
function secretForms(config: Config): readonly string[] {
  const texts = settings.flatMap(({ path, notes }) =>
    [path.reduce<unknown>((section, name) => Object(section)[name], config)]
      .flat()
      .flatMap((value) => (typeof value === 'string' ? [{ value, isSecret: notes.secret === true }] : [])),
  )
  const whole = texts.flatMap(({ value, isSecret }) => (isSecret && !value.includes('://') && value.length >= LEAST_LENGTH ? [value] : []))
  const sasl = config.kafka.sasl === null ? null : parseKafkaSasl(config.kafka.sasl)
  const logins = [
    ...texts.flatMap(({ value }) => loginsIn(value)),
    ...(sasl === null ? [] : [{ user: sasl.username, password: sasl.password }]),
  ]
  const parameters = texts.flatMap(({ value }) => [...value.matchAll(PARAMETERS)].map(([, secret = '']) => secret))
  const all = [...whole, ...parameters.flatMap(writings), ...logins.flatMap(loginForms)]
  return [...new Set(all)].filter((form) => form !== '').toSorted((one, other) => other.length - one.length)
}

function loginsIn(address: string): readonly Login[] {
  return [...address.matchAll(LOGINS)].flatMap(([, login = '']) => {
    const colon = login.indexOf(':')
    if (colon >= 0) return [{ user: login.slice(0, colon), password: login.slice(colon + 1) }]
    return login.length >= LEAST_LENGTH ? [{ user: '', password: login }] : []
  })
}

/** SMTP has both behind NUL in base64 (RFC 4616), HTTP both with a colon (RFC 7617), SMTP's LOGIN each alone. */
function loginForms({ user, password }: Login): readonly string[] {
  const [name, secret] = [decoded(user), decoded(password)]
  const inBase64 = secret === '' ? [] : [secret, `${name}:${secret}`, `\0${name}\0${secret}`].map(base64)
  return [...writings(password), ...inBase64]
}

/** Without the padding: what stands behind it in a text is no part of it. */
const base64 = (text: string): string => Buffer.from(text).toString('base64').replace(/=+$/, '')

/** As it is written, as it is meant, and as an address or JSON writes that. */
function writings(secret: string): readonly string[] {
  const meant = decoded(secret)
  return [secret, meant, encodeURIComponent(meant.toWellFormed()), JSON.stringify(meant).slice(1, -1)]
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}
