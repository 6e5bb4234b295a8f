import { addressIn } from '../provider-address.ts'

/** The address of an API that speaks Twilio's, and our account there. `label`: what events call the provider. `callerId`: the number that calls come from if the sender is a name. */
export type TwilioAccount = Readonly<{
  sid: string
  token: string
  origin: string
  basePath: string
  callerId: string | null
  label?: string
}>

/** How the setting of a provider names one. */
export const TWILIO: readonly string[] = ['twilio://']

const SID = /^[\w-]{1,64}$/
const NUMBER = /^\+[1-9]\d{6,14}$/
const FORM = 'twilio://SID:TOKEN@host[:port]'
const OPTIONS = ['protocol', 'callerId']

/**
 * Reads `twilio://SID:TOKEN@host[:port][/path]?protocol=https`; for calls also `callerId=%2B972…`. `what` names the provider in the one
 * sentence that is thrown for an address that cannot be used; the sentence never holds a part of the address.
 */
export function parseTwilioUrl(address: string, what: string): TwilioAccount {
  const refuse = (sentence: string): never => {
    throw new Error(`The ${what} provider ${sentence}`)
  }
  const url = addressIn(address, { what: `The ${what} provider`, form: FORM, options: OPTIONS, hasPath: true })
  const [sid, token] = [url.username, url.password].map(decoded)
  if (sid === undefined || !SID.test(sid)) refuse(`needs an account SID of letters, digits, - and _: it is ${FORM}.`)
  if (token === undefined || token === '') refuse(`needs an auth token, percent-encoded: it is ${FORM}.`)
  const protocol = url.searchParams.get('protocol') ?? 'https'
  if (protocol !== 'https' && protocol !== 'http') refuse('has an unknown protocol: it is https or http.')
  const callerId = url.searchParams.get('callerId')
  if (callerId !== null && !NUMBER.test(callerId)) refuse('has a callerId that is no number: it is %2B, a country code and the number.')
  const base = `${protocol}://${url.host}`
  if (!URL.canParse(base)) refuse('names a host that cannot be called.')
  return { sid: sid ?? '', token: token ?? '', origin: new URL(base).origin, basePath: url.pathname.replace(/\/+$/, ''), callerId }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** The account that the setting of a provider names; null where that is none of Twilio's. Throws as `parseTwilioUrl`. */
export function twilioAccountIn(setting: string, what: string): TwilioAccount | null {
  return TWILIO.some((start) => setting.startsWith(start)) ? parseTwilioUrl(setting, what) : null
}

/** The header of every request. */
export function basicAuth({ sid, token }: TwilioAccount): string {
  return `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`
}
