import { normalizePhone } from '@tidings/addresses'
import { parseContactName } from '@tidings/administration'
import { CampaignParams, CampaignPreview, PreviewCampaignBody } from '@tidings/contracts'
import { type ContactId, Refused, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import type { App } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'
import { existingCampaign } from './campaigns.ts'
import { COPY_REFUSALS, copyOrRefusal } from './copies.ts'

const schema = {
  operationId: 'campaigns.preview',
  summary: 'What a person would get of a campaign now, and what would keep it back',
  tags: ['campaigns'],
  params: CampaignParams,
  body: PreviewCampaignBody,
  response: { 200: CampaignPreview },
}

const config = { access: 'session', dashboard: { role: 'member' }, refusals: COPY_REFUSALS } as const

/** Sends, writes and counts nothing. The address of a person stands in the body, so that no log of requests has it. */
export function previewCampaign(app: App, deps: DashboardDependencies): void {
  app.post('/campaigns/:id/preview', { schema, config }, async ({ tenant: { workspaceId }, params: { id }, body }) => {
    const known = await existingCampaign(deps, { workspaceId, campaignId: id })
    const contactId = await namedContact(deps, workspaceId, body.contact)
    const of = { ...known, contactId, ...(body.variant !== undefined && { variant: body.variant - 1 }) }
    const { message, block } = await copyOrRefusal(known.state.channel, deps.campaignCopies.preview(of))
    const { templateId, to, from } = message
    const shown = { contactId, variant: message.variant + 1, templateId, to, from, block }
    if (message.channel === 'sms') {
      const { body, credits, segments } = message
      return { ...shown, fromName: null, subject: null, hasText: false, body, credits, segments }
    }
    const { fromName, subject, text } = message
    return { ...shown, fromName, subject, hasText: text !== null, body: null, credits: 0, segments: 0 }
  })
}

/** A contact by its id, email or phone, as the command line takes it (M65). */
const namedContact = async (deps: DashboardDependencies, workspaceId: WorkspaceId, text: string): Promise<ContactId> => {
  const name = parseContactName(text)
  if (name?.kind === 'id') return name.value
  const holder =
    name?.kind === 'email' ? deps.contactHolding(workspaceId, 'email', name.value) : name && phoneHolder(deps, workspaceId, name.value)
  const found = await holder
  if (found === null) throw new Refused('contact_not_found')
  return found
}

/** The local form of a number is that of the country of the workspace. */
const phoneHolder = async (deps: DashboardDependencies, workspaceId: WorkspaceId, text: string): Promise<ContactId | null> => {
  const { state } = await deps.commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const phone = normalizePhone(text, state.settings.country)
  return phone === null ? null : await deps.contactHolding(workspaceId, 'phone', phone)
}
