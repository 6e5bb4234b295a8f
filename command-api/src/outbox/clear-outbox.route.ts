import type { App } from '@tidings/http'
import { deleteFromOutbox } from '@tidings/providers'
import type { Dependencies } from '../dependencies.ts'

const config = { access: 'open', raw: true, throttle: false } as const

export function clearDevOutbox(app: App, { pool }: Pick<Dependencies, 'pool'>): void {
  app.delete('/dev/outbox', { schema: { hide: true }, config }, async () => ({ deleted: await deleteFromOutbox(pool) }))
}
