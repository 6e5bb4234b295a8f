import { ApiKeys } from '@tidings/contracts'
import type { App } from '@tidings/http'
import type { Dependencies } from '../dependencies.ts'
import { keyRoute } from './key-routes.ts'

const schema = {
  operationId: 'apiKeys.list',
  summary: 'The API keys of the workspace, newest first',
  tags: ['api keys'],
  response: { 200: ApiKeys },
}

/** A read among the writes: a session is checked against the log, which a process for reads alone does not have. */
export function listApiKeys(app: App, { apiKeys }: Dependencies): void {
  app.get('/integrations/api-keys', { schema, config: keyRoute }, async ({ tenant }) => [...(await apiKeys.list(tenant.workspaceId))])
}
