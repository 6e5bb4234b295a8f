import { waitUntilVisible } from '@tidings/administration'
import { CampaignParams, TestCampaignBody, TestCopySent } from '@tidings/contracts'
import type { CampaignChannel } from '@tidings/domain'
import { type App, invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingCampaign } from './campaigns.ts'
import { COPY_REFUSALS, copyOrRefusal } from './copies.ts'

const schema = {
  operationId: 'campaigns.test',
  summary: 'Send myself one copy, which counts nothing',
  tags: ['campaigns'],
  params: CampaignParams,
  body: TestCampaignBody,
  response: { 202: TestCopySent },
}

const config = { access: 'session', dashboard: { role: 'member', notes: 'copy' }, refusals: COPY_REFUSALS } as const

/** Consent, cap and quiet hours keep no copy back: so that of a mail goes to the caller alone. */
export function testCampaign(app: App, deps: DashboardDependencies): void {
  app.post('/campaigns/:id/test', { schema, config }, async (request, reply) => {
    const { workspaceId } = request.tenant
    const known = await existingCampaign(deps, { workspaceId, campaignId: request.params.id })
    const { to, variant } = request.body
    const wanted = {
      ...known,
      to: addressOf(request, known.state.channel, to),
      ...(variant !== undefined && { variant: variant - 1 }),
      asked: { commandId: request.commandId, requestId: request.id },
    }
    const sent = await copyOrRefusal(known.state.channel, deps.campaignCopies.sendTest(wanted))
    await waitUntilVisible(deps, reply, { position: sent.position, projections: ['messages'] })
    reply.code(202)
    return { messageId: sent.messageId, to: sent.to, variant: sent.variant + 1 }
  })
}

type Caller = Readonly<{ user: Readonly<{ email: string }> | null }>

const addressOf = ({ user }: Caller, channel: CampaignChannel, to: string | undefined): string => {
  if (channel === 'sms') {
    if (to === undefined) throw invalidRequest('to must be the phone number for a copy of a text message')
    return to
  }
  if (to !== undefined) throw invalidRequest('to must not be given: a copy of a mail goes to the address that you sign in with')
  return user?.email ?? ''
}
