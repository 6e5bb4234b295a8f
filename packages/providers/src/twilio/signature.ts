import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request that claims to be from Twilio. `url`: the whole URL that Twilio was given, query included. */
export type SignedRequest = Readonly<{ url: string; params: URLSearchParams; signature: string | undefined }>

/** Names and values in Twilio's order, each pair once. One pass: `getAll` of each name reads every field again. */
function fieldsOf(params: URLSearchParams): string {
  const values = new Map<string, Set<string>>()
  for (const [name, value] of params) {
    const known = values.get(name)
    if (known === undefined) values.set(name, new Set([value]))
    else known.add(value)
  }
  const names = [...values.keys()].sort()
  return names.flatMap((name) => [...(values.get(name) ?? [])].sort().map((value) => name + value)).join('')
}

const digestOf = (url: string, fields: string, token: string): string =>
  createHmac('sha1', token).update(url).update(fields).digest('base64')

/** What SHA-1 in base64 looks like. */
const SIGNATURE = /^[A-Za-z0-9+/]{27}=$/

export function isSignature(text: string | undefined): text is string {
  return text !== undefined && SIGNATURE.test(text)
}

/** `X-Twilio-Signature` (https://www.twilio.com/docs/usage/webhooks/webhooks-security): the URL, then every parameter by name. */
export function twilioSignature({ url, params }: Readonly<{ url: string; params: URLSearchParams }>, token: string): string {
  return digestOf(url, fieldsOf(params), token)
}

/**
 * Whether it was signed with one of the tokens, compared in constant time. Twilio signs the URL sometimes with its default port and sometimes
 * without (https://github.com/twilio/twilio-node/blob/main/src/webhooks/webhooks.ts), so both are tried.
 */
export function isSignedBy(tokens: readonly string[], { signature = '', ...request }: SignedRequest): boolean {
  if (tokens.length === 0 || !isSignature(signature)) return false
  const given = Buffer.from(signature)
  const fields = fieldsOf(request.params)
  const expected = tokens.flatMap((token) => withAndWithoutPort(request.url).map((url) => digestOf(url, fields, token)))
  return expected.map((text) => isEqual(given, Buffer.from(text))).includes(true)
}

const isEqual = (given: Buffer, expected: Buffer): boolean => given.length === expected.length && timingSafeEqual(given, expected)

/** Works on the text: a URL object would write the query its own way. */
function withAndWithoutPort(url: string): readonly string[] {
  const [, scheme = '', host = '', port = '', rest = ''] = /^(https?:\/\/)(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/s.exec(url) ?? []
  const standard = scheme === 'https://' ? ':443' : ':80'
  return [...new Set([url, `${scheme}${host}${rest}`, `${scheme}${host}${port || standard}${rest}`])]
}
