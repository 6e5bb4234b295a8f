import { CreatedApiKey } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { createKey, DEFAULT_NAME } from './create-key.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.createForEventIngest',
  summary: 'Create an unnamed API key; kept for compatibility',
  tags: ['api keys'],
  response: { 201: CreatedApiKey },
}

export function createEventIngestKey(app: App, deps: Dependencies): void {
  app.post('/integrations/event-ingest-key', { schema, config: { ...keyRoute, showsSecret: true } }, (request, reply) =>
    createKey(deps, { request, reply, name: DEFAULT_NAME, kind: 'secret' }),
  )
}
