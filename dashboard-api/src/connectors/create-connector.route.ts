import { recordIdOf } from '@tidings/codec'
import { ConnectorWithSecret, NewConnectorBody } from '@tidings/contracts'
import { connectors, connectorsStream, MAX_CONNECTORS, Refused } from '@tidings/domain'
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
    const stream = connectorsStream(workspaceId)
    // Two that are made at the same moment do not see each other, as two files do not.
    const { state } = await deps.commands.load({ decider: connectors, stream, workspaceId })
    if (state.filter((known) => known.connectorId !== connectorId).length >= MAX_CONNECTORS) throw new Refused('connector_limit_reached')
    const made = await createRecord(deps, request, {
      decider: connectors,
      stream,
      command: { type: 'ConfigureConnector', data: { connectorId, name, secret: newSecret() } },
      exists: (known) => known.some((one) => one.connectorId === connectorId),
      taken: 'connector_name_taken',
    })
    reply.code(201)
    return shownOnce(made)
  })
}
