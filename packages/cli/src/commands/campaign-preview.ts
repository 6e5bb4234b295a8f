import type { ContactId } from '@tidings/domain'
import { previewCampaign } from '@tidings/service/operations'
import { existingCampaign, type OfCampaign } from '../operator/existing-campaign.ts'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'

type Previewing = OfCampaign & Readonly<{ contact: string; variant?: number; json: boolean }>
type Preview = Awaited<ReturnType<typeof previewCampaign>>

/** `tidings campaign preview`. */
export function preview({ contact, variant, json, ...of }: Previewing): Promise<void> {
  contactName(contact)
  return withOperator(json, async (operator) => {
    const known = await existingCampaign(operator, of)
    const { contactId } = await namedContact(operator, { workspace: of.workspace, id: contact })
    const wanted = { ...known, contactId, ...(variant !== undefined && { variant }) }
    return answerOf(contactId, await previewCampaign(operator, wanted))
  })
}

const answerOf = (contactId: ContactId, { copy, block, unsubscribeUrl }: Preview): Answer => {
  const { variant, templateId, accept } = copy
  const of = { contactId, variant: variant + 1, templateId, to: accept.data.to }
  if (!('content' in copy)) {
    const { from, body, credits, segments } = copy.accept.data
    return {
      json: { ...of, from, body, credits, segments, block },
      lines: [`From: ${from}`, `To: ${of.to}`, '', body, '', sayBlock(block)],
    }
  }
  const { fromEmail, fromName } = copy.accept.data
  const from = fromName === null ? fromEmail : `${fromName} <${fromEmail}>`
  const { subject, html, text } = copy.content
  return {
    json: {
      ...of,
      from,
      headers: { From: from, To: of.to, Subject: subject, 'List-Unsubscribe': `<${unsubscribeUrl}>` },
      subject,
      html,
      text,
      block,
    },
    lines: [`From: ${from}`, `To: ${of.to}`, `Subject: ${subject}`, '', html, ...(text === null ? [] : ['', text]), '', sayBlock(block)],
  }
}

const sayBlock = (block: Preview['block']): string => {
  if (block === null) return 'It would be sent now.'
  return block.until === null ? `It would be ${block.outcome}: ${block.reason}.` : `It would wait until ${block.until}: ${block.reason}.`
}
