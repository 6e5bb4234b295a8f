import { createHmac, timingSafeEqual } from 'node:crypto'

/** A request that claims to be from Twilio. `url`: the whole URL that Twilio was given, query included. */
export type SignedRequest = Readonly<{ url: string; params: URLSearchParams; signature: string | undefined }>

/** `X-Twilio-Signature` (https://www.twilio.com/docs/usage/webhooks/webhooks-security): the URL, then every parameter by name. */
export function twilioSignature({ url, params }: Omit<SignedRequest, 'signature'>, token: string): string {
  const names = [...new Set(params.keys())].sort()
  const fields = names.flatMap((name) => [...new Set(params.getAll(name))].sort().map((value) => name + value))
  return createHmac('sha1', token)
    .update([url, ...fields].join(''))
    .digest('base64')
}

/**
 * Whether it was signed with one of the tokens, compared in constant time. Twilio signs the URL sometimes with its default port and sometimes
 * without (https://github.com/twilio/twilio-node/blob/main/src/webhooks/webhooks.ts), so both are tried.
 */
export function isSignedBy(tokens: readonly string[], { signature = '', ...request }: SignedRequest): boolean {
  const given = Buffer.from(signature)
  const expected = tokens.flatMap((token) => withAndWithoutPort(request.url).map((url) => twilioSignature({ ...request, url }, token)))
  return expected.map((text) => isEqual(given, Buffer.from(text))).includes(true)
}

const isEqual = (given: Buffer, expected: Buffer): boolean => given.length === expected.length && timingSafeEqual(given, expected)

/** As text: a URL object would write the query its own way. */
function withAndWithoutPort(url: string): readonly string[] {
  const [, scheme = '', host = '', port = '', rest = ''] = /^(https?:\/\/)(\[[^\]]*\]|[^/:?#]*)(:\d+)?(.*)$/s.exec(url) ?? []
  const standard = scheme === 'https://' ? ':443' : ':80'
  return [...new Set([url, `${scheme}${host}${rest}`, `${scheme}${host}${port || standard}${rest}`])]
}
