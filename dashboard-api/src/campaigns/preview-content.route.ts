import { CampaignContentParams, CampaignContentQuery } from '@tidings/contracts'
import { Refused, withoutLinkTokens } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { framePolicy } from '../frame-policy.ts'
import { existingCampaign } from './campaigns.ts'
import { COPY_REFUSALS, copyOrRefusal } from './copies.ts'

const schema = {
  operationId: 'campaigns.previewContent',
  summary: 'The mail that a person would get of a campaign now, for a frame without script',
  description: '`text/html` or `text/plain`, without the envelope, under a policy that runs nothing and asks no server for anything.',
  tags: ['campaigns'],
  params: CampaignContentParams,
  querystring: CampaignContentQuery,
}

const config = {
  access: 'session',
  dashboard: { role: 'member' },
  raw: true,
  refusals: [...COPY_REFUSALS, 'message_content_gone'],
} as const

export function previewContent(app: App, deps: DashboardDependencies): void {
  app.get('/campaigns/:id/preview/:contactId', { schema, config }, async ({ tenant, params: { id, contactId }, query }, reply) => {
    const known = await existingCampaign(deps, { workspaceId: tenant.workspaceId, campaignId: id })
    const of = { ...known, contactId, ...(query.variant !== undefined && { variant: query.variant - 1 }) }
    const { message } = await copyOrRefusal(known.state.channel, deps.campaignCopies.preview(of))
    const isText = query.part === 'text'
    const shown = message.channel === 'sms' ? message.body : isText ? message.text : message.html
    if (shown === null) throw new Refused('message_content_gone')
    const type = message.channel === 'sms' || isText ? 'text/plain' : 'text/html'
    reply.header('Content-Security-Policy', framePolicy(query.images))
    return reply.type(`${type}; charset=utf-8`).send(withoutLinkTokens(shown))
  })
}
