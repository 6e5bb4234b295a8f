import { PushPublicKey } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'

const schema = {
  operationId: 'push.publicKey',
  summary: 'Tell the key that browsers subscribe to web push with',
  tags: ['push'],
  response: { 200: PushPublicKey },
}

/** `GET /push/public-key` (N434): the same for every workspace, so without credentials. */
export function getPublicKey(app: App, { vapidPublicKey }: Dependencies): void {
  app.get('/push/public-key', { schema, config: { access: 'open' } }, async (_, reply) => {
    reply.header('cache-control', 'public, max-age=3600')
    return { publicKey: vapidPublicKey, enabled: vapidPublicKey !== null }
  })
}
