import { Type } from '@sinclair/typebox'
import type { App } from '@tidings/http'
import { listOutbox, type OutboxMessage } from '@tidings/providers'
import type { Pool } from 'pg'
import { sendPage } from '../dashboard/page-answers.ts'

const channel = Type.Unsafe<'email' | 'sms' | 'voice' | 'push'>({ type: 'string', enum: ['email', 'sms', 'voice', 'push'] })
const querystring = Type.Object({ channel: Type.Optional(channel), to: Type.Optional(Type.String({ maxLength: 320 })) })
const schema = { hide: true, querystring }
const config = { access: 'open', raw: true, throttle: false } as const

/** Leaves out the columns that a channel does not have (O5). */
const shown = ({ workspaceId: _, at, ...message }: OutboxMessage) => ({
  ...Object.fromEntries(Object.entries(message).filter(([, value]) => value !== null)),
  at: at.toISOString(),
})

/** A browser that opens the address names it; `*\/*` of a program does not. */
const namesHtml = (accept: string | undefined): boolean => /(^|[\s,])text\/html\s*(;|,|$)/i.test(accept ?? '')

type Outbox = Readonly<{ pool: Pool; publicUrl: string; withPages: boolean }>

/** The messages; a browser gets the page that shows them, where there is one. */
export function listDevOutbox(app: App, { pool, publicUrl, withPages }: Outbox): void {
  app.get('/dev/outbox', { schema, config }, async ({ query, headers }, reply) => {
    if (withPages && namesHtml(headers.accept)) return sendPage(reply, publicUrl)
    const { channel: wanted, to } = query
    const messages = await listOutbox(pool, { ...(wanted && { channel: wanted }), ...(to && { to }) })
    return { items: messages.map(shown) }
  })
}
