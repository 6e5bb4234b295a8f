import { ShownConnectors } from '@tidings/contracts'
import { connectors, connectorsStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'
import { recordOf } from './connectors.ts'

const schema = {
  operationId: 'connectors.list',
  summary: 'The connectors of the workspace as the log has them, and the address that they call',
  tags: ['connectors'],
  response: { 200: ShownConnectors },
}

const config = { access: 'session', dashboard: { role: 'admin' } } as const

export function listConnectors(app: App, { commands, publicUrl }: Pick<DashboardDependencies, 'commands' | 'publicUrl'>): void {
  app.get('/connectors', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const { state } = await commands.load({ decider: connectors, stream: connectorsStream(workspaceId), workspaceId })
    const items = state.map((known) => ({ id: known.connectorId, name: known.name, etag: etagOf(recordOf(known)) }))
    return { items, address: `${publicUrl}/api/v1/integrations/store-events` }
  })
}
