import { waitUntilVisible } from '@tidings/administration'
import { SetFormSettingsBody, ShownForms } from '@tidings/contracts'
import type { Feature, WorkspaceCommand } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import { formOrigin } from '@tidings/provisioning/workspace-file'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { saveRecord } from '../editing/save-record.ts'
import { editableFormSettings } from './forms.ts'

const { settings } = ShownForms.properties

const schema = {
  operationId: 'forms.setSettings',
  summary: 'Say whether pages may use the forms, and the pages of which sites',
  tags: ['forms'],
  body: SetFormSettingsBody,
  response: { 200: settings },
}

const config = { access: 'session', dashboard: { role: 'admin' }, edits: true, refusals: ['workspace_not_found'] } as const

export function setFormSettings(app: App, deps: DashboardDependencies): void {
  app.put('/form-settings', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const origins = originsIn(request.body.origins)
    const features: readonly Feature[] = request.body.enabled ? ['embedded_forms'] : []
    const editable = editableFormSettings(workspaceId)
    const { position } = await saveRecord(deps, request, {
      editable,
      commandFor: (): WorkspaceCommand => ({ type: 'SetFormSettings', data: { features, origins } }),
    })
    await waitUntilVisible(deps, reply, { position, projections: ['forms'] })
    const { record, etag } = await readRecord(deps, workspaceId, editable)
    return { enabled: record.enabled, origins: [...record.origins], etag }
  })
}

/** Each once, as a browser sends it. */
const originsIn = (written: readonly string[]): readonly string[] => [
  ...new Set(
    written.map((text, i) => {
      const origin = formOrigin(text.trim())
      if (origin === null) throw invalidRequest(`origins[${i}] is no origin: write scheme, host and port alone, like https://shop.example`)
      return origin
    }),
  ),
]
