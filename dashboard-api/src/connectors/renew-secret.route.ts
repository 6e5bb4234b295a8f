import { ConnectorParams, ConnectorWithSecret } from '@tidings/contracts'
import type { ConfigureConnector } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableConnector, newSecret, shownOnce } from './connectors.ts'

const schema = {
  operationId: 'connectors.renewSecret',
  summary: 'Give a connector another secret, which the answer shows, once; the one before is refused at once',
  tags: ['connectors'],
  params: ConnectorParams,
  response: { 200: ConnectorWithSecret },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  edits: true,
  showsSecret: true,
  refusals: ['connector_not_found'],
} as const

export function renewConnectorSecret(app: App, deps: DashboardDependencies): void {
  app.post('/connectors/:id/secret', { schema, config }, async (request) => {
    const { workspaceId } = request.tenant
    const renewed = await saveRecord(deps, request, {
      editable: editableConnector({ workspaceId, connectorId: request.params.id }),
      commandFor: ({ connectorId, name }): ConfigureConnector => ({
        type: 'ConfigureConnector',
        data: { connectorId, name, secret: newSecret() },
      }),
    })
    return shownOnce(renewed)
  })
}
