import { Type } from '@sinclair/typebox'
import { IdParams } from '@tidings/contracts'
import { type App, RequestRefused } from '@tidings/http'
import { findInOutbox } from '@tidings/providers'
import type { Pool } from 'pg'

const querystring = Type.Object({ images: Type.Optional(Type.Literal('1')) })
const schema = { hide: true, params: IdParams, querystring }
const config = { access: 'open', raw: true, throttle: false } as const

/** A mail of the outbox as it looks, for a frame. */
export function showOutboxHtml(app: App, { pool }: Readonly<{ pool: Pool }>): void {
  app.get('/dev/outbox/:id/html', { schema, config }, async ({ params, query }, reply) => {
    const message = await findInOutbox(pool, params.id)
    if (message === null || message.html === null) throw new RequestRefused({ status: 404, message: 'Message not found' })
    return reply.headers(mailHeaders(query.images === '1')).send(message.html)
  })
}

/**
 * The headers of content that a stranger may have written, for a frame of one of our pages: no script, no form, an origin of its own, and nothing
 * is loaded, except pictures where the reader asked for them.
 */
function mailHeaders(withImages: boolean): Readonly<Record<string, string>> {
  const policy = [
    'sandbox',
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `img-src data:${withImages ? ' https:' : ''}`,
    "frame-ancestors 'self'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy.join('; '),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
  }
}
