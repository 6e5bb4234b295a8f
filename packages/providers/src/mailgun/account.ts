import { addressIn, decodedPart } from '../provider-address.ts'

/** A sending domain of Mailgun, and how its API is reached. `webhookKey`: what its reports are signed with; null where none are taken. */
export type MailgunAccount = Readonly<{ domain: string; key: string; origin: string; webhookKey: string | null }>

const WHAT = 'The email provider'
const FORM = { what: WHAT, form: 'mailgun://DOMAIN:KEY@api.mailgun.net', options: ['protocol', 'webhook'] }
const DOMAIN = /^(?:[a-z0-9-]{1,63}\.)+[a-z0-9-]{2,63}$/i

/**
 * Reads `mailgun://DOMAIN:KEY@api.mailgun.net` (`api.eu.mailgun.net` for domains of the EU region). Options: `webhook`, the HTTP webhook signing key, and
 * `protocol=http`, for a server of one's own. Throws one sentence, which has no part of the address.
 */
export function mailgunAccount(address: string): MailgunAccount {
  const url = addressIn(address, FORM)
  const [domain, key] = [decodedPart(url.username, WHAT), decodedPart(url.password, WHAT)]
  if (!DOMAIN.test(domain)) throw new Error(`${WHAT} needs the sending domain as its user: it is ${FORM.form}.`)
  if (key === '') throw new Error(`${WHAT} needs an API key as its password: it is ${FORM.form}.`)
  const protocol = url.searchParams.get('protocol') ?? 'https'
  if (protocol !== 'https' && protocol !== 'http') throw new Error(`${WHAT} has an unknown protocol: it is https or http.`)
  const base = `${protocol}://${url.host}`
  if (!URL.canParse(base)) throw new Error(`${WHAT} names a host that cannot be called.`)
  const webhookKey = url.searchParams.get('webhook')
  if (webhookKey === '') throw new Error(`${WHAT} has an empty webhook: it is the signing key, or is left out.`)
  return { domain, key, origin: new URL(base).origin, webhookKey }
}

/** How the setting of a provider names one. */
export const MAILGUN: readonly string[] = ['mailgun://']

/** The account that the address of a provider names; null where it is none of Mailgun's. Throws as `mailgunAccount`. */
export function mailgunAccountIn(address: string): MailgunAccount | null {
  return MAILGUN.some((start) => address.startsWith(start)) ? mailgunAccount(address) : null
}
