import { FormParams, FormPreviewQuery } from '@tidings/contracts'
import { asFormId } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { framePolicy } from '../frame-policy.ts'
import { formPage } from './form-page.ts'
import { editableForm } from './forms.ts'

const schema = {
  operationId: 'forms.preview',
  summary: 'A form as a visitor sees it, for a frame without script',
  description: '`text/html`, without the envelope, under a policy that runs nothing. It takes no sign-up.',
  tags: ['forms'],
  params: FormParams,
  querystring: FormPreviewQuery,
}

const config = { access: 'session', dashboard: { role: 'admin' }, raw: true, refusals: ['form_not_found'] } as const

export function previewForm(app: App, deps: Pick<DashboardDependencies, 'commands'>): void {
  app.get('/forms/:id/preview', { schema, config }, async ({ tenant: { workspaceId }, params: { id }, query: { lang = 'en' } }, reply) => {
    const { record } = await readRecord(deps, workspaceId, editableForm({ workspaceId, formId: asFormId(id) }))
    reply.header('Content-Security-Policy', framePolicy())
    return reply.type('text/html; charset=utf-8').send(formPage(lang, { asks: record.confirmation !== null }))
  })
}
