import { Type } from '@sinclair/typebox'
import { IdParams } from '@tidings/contracts'
import { type App, RequestRefused } from '@tidings/http'
import { findInOutbox } from '@tidings/providers'
import type { Pool } from 'pg'
import { mailHeaders } from '../dashboard/mail-headers.ts'

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
