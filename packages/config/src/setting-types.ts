import { type TSchema, Type } from '@sinclair/typebox'
import { settingMust, settingPattern } from '@tidings/providers/registry'

/** What a setting's schema carries besides its type: its variable, how a sentence names what is right, and whether its value may be shown. */
export type Annotations = Readonly<{ env: string; must: string; secret?: boolean }>

type SettingOptions = Readonly<{ must: string; secret?: boolean }>

export function whole(env: string, minimum: number, maximum: number) {
  return Type.Integer({ env, minimum, maximum, must: `a whole number from ${minimum} to ${maximum}` })
}

export function daysOrNull(env: string, minimum: number) {
  return Type.Union([Type.Integer({ minimum, maximum: 36_500 }), Type.Null()], { env, must: `a whole number from ${minimum} to 36500` })
}

/** The longest time of one call of a provider, or null for that of all of them. */
export function callMsOrNull(env: string) {
  return Type.Union([Type.Integer({ minimum: 100, maximum: 300_000 }), Type.Null()], { env, must: 'a whole number from 100 to 300000' })
}

/** The provider of a channel: a word or an address, which may carry credentials, or several addresses in their order (M68). */
export function providersOf(env: string, kinds: Parameters<typeof settingPattern>[0]) {
  const must = `${settingMust(kinds, '`')}, or several such addresses with commas between them`
  return Type.String({ env, pattern: settingPattern(kinds, { several: true }), must, secret: true })
}

export function limit(env: string) {
  return Type.Union([Type.Integer({ minimum: 1 }), Type.Literal('off')], { env, must: 'a whole number of requests a minute, or off' })
}

export function perHour(env: string) {
  return Type.Union([Type.Integer({ minimum: 1, maximum: 1_000_000_000 }), Type.Literal('off')], {
    env,
    must: 'a whole number of passcodes an hour, or off',
  })
}

export function text(env: string, pattern: string, must: string) {
  return Type.String({ env, pattern, must })
}

/** A rate over all processes, or null for none. `what` is counted. */
export function perSecond(env: string, what: string) {
  return Type.Union([Type.Integer({ minimum: 1, maximum: 100_000 }), Type.Null()], {
    env,
    must: `a whole number of ${what} a second from 1 to 100000`,
  })
}

export function orNull(env: string, pattern: string, more: SettingOptions) {
  return Type.Union([Type.String({ pattern }), Type.Null()], { env, ...more })
}

export function list<Item extends TSchema>(env: string, item: Item, more: SettingOptions & Readonly<{ minItems?: number }>) {
  return Type.Array(item, { env, ...more })
}

export function closed<Properties extends Record<string, TSchema>>(properties: Properties) {
  return Type.Object(properties, { additionalProperties: false })
}
