import { flowSummaries } from '@tidings/administration'
import { FlowList } from '@tidings/contracts'
import { flows, flowsStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOf } from '../names.ts'
import { triggerOf } from './flows.ts'

const schema = {
  operationId: 'flows.list',
  summary: 'The flows of the workspace, oldest first, with how many are inside',
  tags: ['flows'],
  response: { 200: FlowList },
}

const config = { access: 'session', dashboard: { role: 'member' } } as const

/** A flow that reads show, and the state of the log does not yet, is in no such order: the state is at least as new. */
export function listFlows(app: App, { reads, db, commands }: Pick<DashboardDependencies, 'reads' | 'db' | 'commands'>): void {
  app.get('/flows', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const shown = await flowSummaries(reads, workspaceId)
    const { state } = await commands.load({ decider: flows, stream: flowsStream(workspaceId), workspaceId })
    const lists = Object.values(state).flatMap(({ trigger }) => (trigger.type === 'list_joined' ? [trigger.listId] : []))
    const names = await namesOf(forWorkspace(db, workspaceId), { lists })
    const items = shown.flatMap((flow) => {
      const known = state[flow.id]
      return known === undefined ? [] : [{ ...flow, trigger: triggerOf(known, names) }]
    })
    return { items }
  })
}
