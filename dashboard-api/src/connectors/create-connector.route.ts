import { recordIdOf } from '@tidings/codec'
import { ConnectorWithSecret, NewConnectorBody } from '@tidings/contracts'
import { connectors, connectorsStream, MAX_CONNECTORS } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { newSecret, shownOnce } from './connectors.ts'

const schema = {
  operationId: 'connectors.create',
  summary: 'Make a connector; the answer shows its secret, once',
  tags: ['connectors'],
  body: NewConnectorBody,
  response: { 201: ConnectorWithSecret },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  showsSecret: true,
  refusals: ['connector_name_taken', 'connector_limit_reached'],
} as const

/** Its id follows from its name, as in a file of `apply`: the same record from either side, and no name twice. */
export function createConnector(app: App, deps: DashboardDependencies): void {
  app.post('/connectors', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { name } = request.body
    const connectorId = recordIdOf(workspaceId, 'connector', name)
    const made = await createRecord(deps, request, {
      decider: connectors,
      stream: connectorsStream(workspaceId),
      command: { type: 'ConfigureConnector', data: { connectorId, name, secret: newSecret() } },
      exists: (known) => known.some((one) => one.connectorId === connectorId),
      taken: 'connector_name_taken',
      limit: { isReached: (known) => known.length >= MAX_CONNECTORS, refusal: 'connector_limit_reached' },
    })
    reply.code(201)
    return shownOnce(made)
  })
}
