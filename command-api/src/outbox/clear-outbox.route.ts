import type { App } from '@tidings/http'
import { deleteFromOutbox } from '@tidings/providers'
import type { Pool } from 'pg'

const config = { access: 'open', raw: true, throttle: false } as const

export function clearDevOutbox(app: App, { pool }: Readonly<{ pool: Pool }>): void {
  app.delete('/dev/outbox', { schema: { hide: true }, config }, async () => ({ deleted: await deleteFromOutbox(pool) }))
}
