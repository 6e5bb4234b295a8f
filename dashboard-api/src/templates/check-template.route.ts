import { CheckedTemplate, CheckTemplateBody } from '@tidings/contracts'
import {
  type MergeValues,
  Refused,
  renderPush,
  renderSms,
  smsCredits,
  smsSegments,
  type TemplateChannel,
  type TemplateContent,
} from '@tidings/domain'
import { type App, RequestRefused, toProblem } from '@tidings/http'
import { renderEmail, templateMergeFields } from '@tidings/mail-content'
import type { DashboardDependencies } from '../dependencies.ts'
import { contentOf } from './template-content.ts'
import { personValues } from './values-of-person.ts'

const schema = {
  operationId: 'templates.check',
  summary: 'What is wrong with the texts of a template, and what they become for a person',
  description: 'Writes nothing. What saving would refuse is an answer here, so that it can be asked while one types.',
  tags: ['templates'],
  body: CheckTemplateBody,
  response: { 200: CheckedTemplate },
}

const config = { access: 'session', dashboard: { role: 'member' }, onReplicas: 'alone', refusals: ['profile_not_found'] } as const

export function checkTemplate(app: App, deps: Pick<DashboardDependencies, 'db' | 'publicUrl'>): void {
  const valuesOf = personValues(deps)
  app.post('/templates/check', { schema, config }, async ({ tenant: { workspaceId }, body: { channel, contactId, ...texts } }) => {
    const values = await valuesOf({ workspaceId, contactId })
    try {
      const content = contentOf(channel, texts)
      return {
        mistake: null,
        mergeFields: [...templateMergeFields(content)],
        rendered: { ...nothing, ...renderedAs[channel](content, values) },
      }
    } catch (error) {
      if (!(error instanceof Refused) && !(error instanceof RequestRefused)) throw error
      return { mistake: toProblem(error).message, mergeFields: [], rendered: null }
    }
  })
}

type Rendered = NonNullable<CheckedTemplate['rendered']>

const nothing: Rendered = { subject: null, text: null, body: null, push: null, fromName: null, segments: null, credits: null }

/** By the code that sends. */
const renderedAs: Readonly<Record<TemplateChannel, (content: TemplateContent, values: MergeValues) => Partial<Rendered>>> = {
  email: (email, values) => {
    const { content, fromName } = renderEmail(email, values)
    return { subject: content.subject, text: content.text, fromName }
  },
  sms: ({ body }, values) => {
    const text = renderSms(body ?? '', values)
    return { body: text, segments: smsSegments(text), credits: smsCredits(text) }
  },
  push: ({ push }, values) => ({ push: push && renderPush(push, values) }),
}
