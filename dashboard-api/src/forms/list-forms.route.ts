import { ShownForms } from '@tidings/contracts'
import { asFormId } from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { namesOf } from '../names.ts'
import { countsOf, editableFormSettings, formIn, listedForm } from './forms.ts'

const schema = {
  operationId: 'forms.list',
  summary: 'The forms of the workspace as the log has them, with how many signed up by each',
  tags: ['forms'],
  response: { 200: ShownForms },
}

const config = { access: 'session', dashboard: { role: 'admin' }, refusals: ['workspace_not_found'] } as const

export function listForms(app: App, deps: Pick<DashboardDependencies, 'commands' | 'db' | 'publicUrl'>): void {
  app.get('/forms', { schema, config }, async ({ tenant: { workspaceId } }) => {
    const { record, etag, state } = await readRecord(deps, workspaceId, editableFormSettings(workspaceId))
    const formIds = Object.keys(state.forms).map(asFormId)
    const forms = formIds.toSorted().flatMap((formId) => formIn(state, formId) ?? [])
    const [names, counts] = await Promise.all([
      namesOf(forWorkspace(deps.db, workspaceId), { lists: forms.map(({ listId }) => listId) }),
      countsOf(deps, workspaceId, formIds),
    ])
    return {
      items: forms.map((form) => listedForm(form, names, counts)),
      settings: { enabled: record.enabled, origins: [...record.origins], etag },
      script: `${deps.publicUrl}/forms/embed.js`,
    }
  })
}
