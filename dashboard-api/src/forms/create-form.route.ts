import { waitUntilVisible } from '@tidings/administration'
import { NewFormBody, ShownForm } from '@tidings/contracts'
import { asFormId, isFormLabel, type WorkspaceState, workspace, workspaceStream } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { createRecord } from '../editing/create-record.ts'
import { formIn, MAX_FORMS, shownForm } from './forms.ts'
import { wantedForm } from './wanted-form.ts'

const schema = {
  operationId: 'forms.create',
  summary: 'Make a form, whose sign-ups join a list',
  tags: ['forms'],
  body: NewFormBody,
  response: { 201: ShownForm },
}

const config = {
  access: 'session',
  dashboard: { role: 'admin' },
  refusals: ['form_id_taken', 'form_limit_reached', 'form_not_found', 'workspace_not_found'],
} as const

/** The id is the one by which a workspace file names it: the same record from either side. */
export function createForm(app: App, deps: DashboardDependencies): void {
  app.post('/forms', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const { id, ...asked } = request.body
    if (!isFormLabel(id))
      throw invalidRequest('id must begin with a letter or digit, and have only A to Z, a to z, 0 to 9, ".", "_", ":" and "-"')
    const formId = asFormId(id)
    const wanted = await wantedForm(deps, workspaceId, { asked, known: null })
    const { position } = await createRecord(deps, request, {
      decider: workspace,
      stream: workspaceStream(workspaceId),
      command: { type: 'ConfigureForm', data: { formId, ...wanted, archived: false } },
      exists: (now: WorkspaceState) => formIn(now, formId) !== null,
      taken: 'form_id_taken',
      limit: { isReached: ({ forms }) => Object.keys(forms).length >= MAX_FORMS, refusal: 'form_limit_reached' },
    })
    await waitUntilVisible(deps, reply, { position, projections: ['forms'] })
    reply.code(201)
    return await shownForm(deps, { workspaceId, id })
  })
}
