import type { CallbackRequest } from '@tidings/providers'
import type { FastifyRequest } from 'fastify'

/** HMAC-SHA1 in base64. */
const signature = { header: 'x-twilio-signature', form: /^[A-Za-z\d+/]{27}=$/ }
const config = { access: 'open', raw: true, signature } as const

/** No key: the signature is the credential. A route may read as much as other receipts (M32). */
export function callbackRoute(operationId: string) {
  return { schema: { operationId, tags: ['providers'], hide: true }, config, bodyLimit: 1024 * 1024 }
}

/** The request as Twilio signed it: the query as it came, and the form as it was written. */
export function callbackOf({ raw: { url = '' }, body, headers }: FastifyRequest): CallbackRequest {
  const given = headers[signature.header]
  const at = url.indexOf('?')
  return {
    search: at === -1 ? '' : url.slice(at),
    body: typeof body === 'string' ? body : '',
    signature: typeof given === 'string' ? given : undefined,
  }
}
