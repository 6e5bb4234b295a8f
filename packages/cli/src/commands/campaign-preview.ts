import type { CampaignPreview } from '@tidings/administration'
import type { ContactId } from '@tidings/domain'
import { campaignCopies } from '@tidings/service/operations'
import { existingCampaign, type OfCampaign } from '../operator/existing-campaign.ts'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'

type Previewing = OfCampaign & Readonly<{ contact: string; variant?: number; json: boolean }>

/** `tidings campaign preview`. */
export function preview({ contact, variant, json, ...of }: Previewing): Promise<void> {
  contactName(contact)
  return withOperator(json, async (operator) => {
    const known = await existingCampaign(operator, of)
    const { contactId } = await namedContact(operator, { workspace: of.workspace, id: contact })
    const wanted = { ...known, contactId, ...(variant !== undefined && { variant }) }
    return answerOf(contactId, await campaignCopies(operator).preview(wanted))
  })
}

const answerOf = (contactId: ContactId, { message, block, unsubscribeUrl }: CampaignPreview): Answer => {
  const { variant, templateId, to } = message
  const of = { contactId, variant: variant + 1, templateId, to }
  if (message.channel === 'sms') {
    const { from, body, credits, segments } = message
    return {
      json: { ...of, from, body, credits, segments, block },
      lines: [`From: ${from}`, `To: ${to}`, '', body, '', sayBlock(block)],
    }
  }
  const { fromName, subject, html, text } = message
  const from = fromName === null ? message.from : `${fromName} <${message.from}>`
  return {
    json: {
      ...of,
      from,
      headers: { From: from, To: to, Subject: subject, 'List-Unsubscribe': `<${unsubscribeUrl}>` },
      subject,
      html,
      text,
      block,
    },
    lines: [`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, '', html, ...(text === null ? [] : ['', text]), '', sayBlock(block)],
  }
}

const sayBlock = (block: CampaignPreview['block']): string => {
  if (block === null) return 'It would be sent now.'
  return block.until === null ? `It would be ${block.outcome}: ${block.reason}.` : `It would wait until ${block.until}: ${block.reason}.`
}
