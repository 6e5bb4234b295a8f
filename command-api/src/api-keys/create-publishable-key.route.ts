import { CreateApiKeyBody, CreatedApiKey } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { createKey, DEFAULT_NAME } from './create-key.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.createPublishable',
  summary: 'Create a key for the source of a page, which opens nothing but sign-ups and registrations for push',
  tags: ['api keys'],
  body: CreateApiKeyBody,
  response: { 201: CreatedApiKey },
}

/** A path of its own: the body of `POST /integrations/api-keys` is the contract's (M63). */
export function createPublishableKey(app: App, deps: Dependencies): void {
  app.post('/integrations/publishable-keys', { schema, config: { ...keyRoute, showsSecret: true } }, (request, reply) =>
    createKey(deps, { request, reply, name: request.body.name ?? DEFAULT_NAME, kind: 'publishable' }),
  )
}
