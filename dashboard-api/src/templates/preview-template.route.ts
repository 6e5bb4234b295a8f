import { TemplatePreviewBody } from '@tidings/contracts'
import type { App } from '@tidings/http'
import { renderEmail } from '@tidings/mail-content'
import type { DashboardDependencies } from '../dependencies.ts'
import { framePolicy } from '../frame-policy.ts'
import { personValues } from './values-of-person.ts'

/** A form may write each byte of the largest template, of up to four bytes a character, in three. */
const LARGEST = 6 * 1024 * 1024

const schema = {
  operationId: 'templates.preview',
  summary: 'The HTML of a template as it would be sent, for a frame without script',
  description: 'Posted by a form of the page into such a frame. `text/html`, without the envelope, under a policy that runs nothing.',
  tags: ['templates'],
  consumes: ['application/x-www-form-urlencoded'],
  body: TemplatePreviewBody,
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  onReplicas: 'alone',
  raw: true,
  form: true,
  refusals: ['profile_not_found', 'template_render_failed', 'content_empty'],
} as const

/** A mail needs a subject; that of the template is looked at by `templates.check`. */
const SUBJECT = 'Preview'

export function previewTemplate(app: App, deps: Pick<DashboardDependencies, 'db' | 'publicUrl'>): void {
  const valuesOf = personValues(deps)
  app.post(
    '/templates/preview',
    { schema, config, bodyLimit: LARGEST },
    async ({ tenant: { workspaceId }, body: { html, contactId, images } }, reply) => {
      const values = await valuesOf({ workspaceId, contactId })
      const { content } = renderEmail({ subject: SUBJECT, html, text: null, fromName: null }, values)
      reply.header('Content-Security-Policy', framePolicy(images))
      return reply.type('text/html; charset=utf-8').send(content.html)
    },
  )
}
