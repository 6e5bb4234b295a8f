import { campaignCopies } from '@tidings/service/operations'
import { existingCampaign, type OfCampaign } from '../operator/existing-campaign.ts'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { withOperator } from '../operator/with-operator.ts'

type Testing = OfCampaign & Readonly<{ to: string; contact?: string; variant?: number; json: boolean }>

/** `tidings campaign test`. */
export function test({ to, contact, variant, json, ...of }: Testing): Promise<void> {
  if (contact !== undefined) contactName(contact)
  return withOperator(json, async (operator) => {
    const { workspaceId, campaignId, state, events } = await existingCampaign(operator, of)
    const contactId = contact === undefined ? undefined : (await namedContact(operator, { workspace: of.workspace, id: contact })).contactId
    const wanted = {
      workspaceId,
      campaignId,
      state,
      events,
      to,
      ...(contactId !== undefined && { contactId }),
      ...(variant !== undefined && { variant }),
    }
    const sent = await campaignCopies(operator).sendTest(wanted)
    await operator.settle(sent.position)
    const record = { messageId: sent.messageId, contactId: sent.contactId, to: sent.to, variant: sent.variant + 1 }
    return { json: record, lines: [`A copy is on its way to ${sent.to}, as message ${sent.messageId}.`] }
  })
}
