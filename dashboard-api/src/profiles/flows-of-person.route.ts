import { ContactParams, FlowsOfPerson } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { knownContact } from './known-contact.ts'

const schema = {
  operationId: 'profiles.listFlows',
  summary: 'The flows that a person has been in, with the last run of each',
  tags: ['profiles'],
  params: ContactParams,
  response: { 200: FlowsOfPerson },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: ['contact_not_found'] } as const

const SHOWN = 1_000

export function flowsOfPerson(app: App, deps: Pick<DashboardDependencies, 'db' | 'log'>): void {
  app.get('/profiles/:id/flows', { schema, config }, async ({ tenant: { workspaceId }, params: { id: contactId } }) => {
    await knownContact(deps, { workspaceId, contactId })
    const rows = await forWorkspace(deps.db, workspaceId)
      .flows()
      .innerJoin('flow_runs', (on) =>
        on
          .onRef('flow_runs.workspace_id', '=', 'flows.workspace_id')
          .onRef('flow_runs.flow_id', '=', 'flows.id')
          .on('flow_runs.contact_id', '=', contactId),
      )
      .select(['flows.id', 'flows.name', 'flow_runs.state', 'flow_runs.step', 'flow_runs.until', 'flow_runs.reason'])
      .select(['flow_runs.entered_at', 'flow_runs.updated_at'])
      .orderBy('flows.name')
      .orderBy('flows.id')
      .limit(SHOWN)
      .execute()
    const items = rows.map(({ until, entered_at, updated_at, ...run }) => ({
      ...run,
      until: until?.toISOString() ?? null,
      enteredAt: entered_at.toISOString(),
      updatedAt: updated_at.toISOString(),
    }))
    return { items }
  })
}
