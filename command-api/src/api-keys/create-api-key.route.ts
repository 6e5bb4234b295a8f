import { CreateApiKeyBody, CreatedApiKey } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { createKey, DEFAULT_NAME } from './create-key.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.create',
  summary: 'Create an API key; the answer shows the whole key, once',
  tags: ['api keys'],
  body: CreateApiKeyBody,
  response: { 201: CreatedApiKey },
}

export function createApiKey(app: App, deps: Dependencies): void {
  app.post('/integrations/api-keys', { schema, config: { ...keyRoute, showsSecret: true } }, (request, reply) =>
    createKey(deps, { request, reply, name: request.body.name ?? DEFAULT_NAME, kind: 'secret' }),
  )
}
