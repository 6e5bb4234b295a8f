import { RequestRefused } from '@tidings/http'
import type { CallbackRequest } from '@tidings/providers'
import type { FastifyRequest } from 'fastify'

const config = { access: 'open', raw: true, throttle: 'refused' } as const

/** No key: the signature is the credential. A route may read as much as other receipts (M32). */
export function callbackRoute(operationId: string) {
  return { schema: { operationId, tags: ['providers'], hide: true }, config, bodyLimit: 1024 * 1024 }
}

/** As Twilio signed it: what is behind the path as it came, and the form as it was written. */
export function callbackOf({ raw: { url = '' }, body, headers }: FastifyRequest): CallbackRequest {
  const signature = headers['x-twilio-signature']
  const at = url.indexOf('?')
  return {
    search: at === -1 ? '' : url.slice(at),
    body: typeof body === 'string' ? body : '',
    signature: typeof signature === 'string' ? signature : undefined,
  }
}

/** The answer to a missing or wrong signature. */
export function unsigned(): RequestRefused {
  return new RequestRefused({ status: 401, message: 'Invalid signature' })
}
