import { SubjectErased } from '@tidings/codec'
import { type ContactReader, readContact } from '@tidings/directory'
import { type Json, type MessageCommand, mergeValues, Refused, type TemplateContent } from '@tidings/domain'
import { emailChannel } from './email-channel.ts'
import type { Making, MarketingChannel, MarketingMessage, MessageFromSender } from './marketing-channel.ts'
import { pushChannel } from './push-channel.ts'
import { smsChannel } from './sms-channel.ts'

export type MakingMessages = Making & Readonly<{ contacts: ContactReader }>

/** `template`: as it is now, null where it is gone. `properties`: merge tags beside those of the contact. Both are asked only where they are needed. */
export type DraftSources = Readonly<{
  template: () => Promise<TemplateContent | null>
  properties: () => Promise<Readonly<Record<string, Json>>>
}>

type MessageOfChannel = (MessageFromSender & Readonly<{ channel: 'email' | 'sms' }>) | (MarketingMessage & Readonly<{ channel: 'push' }>)

export type NotDrafted = 'contact_gone' | 'no_address' | 'template_gone' | 'template_render_failed'

/** Renders a message for the contact as it is now, and answers what accepts it, or why there is none. */
export function draftMessage(
  making: MakingMessages,
  message: MessageOfChannel,
  sources: DraftSources,
): Promise<MessageCommand | NotDrafted> {
  switch (message.channel) {
    case 'email':
      return draftWith(emailChannel(making, message), making, { message, sources })
    case 'sms':
      return draftWith(smsChannel(message), making, { message, sources })
    case 'push':
      return draftWith(pushChannel(message), making, { message, sources })
    default:
      return message satisfies never
  }
}

async function draftWith<Rendered>(
  channel: MarketingChannel<Rendered>,
  { contacts }: MakingMessages,
  { message, sources }: Readonly<{ message: MarketingMessage; sources: DraftSources }>,
): Promise<MessageCommand | NotDrafted> {
  const contact = await readContact(contacts, message)
  if (contact === null) return 'contact_gone'
  const to = channel.addressOf(contact.state)
  if (to === null) return 'no_address'
  const template = await sources.template()
  if (template === null) return 'template_gone'
  const { email, phone, details } = contact.state
  const { firstName, lastName, customProperties } = details
  const values = mergeValues({ firstName, lastName, email, phone, customProperties }, await sources.properties(), channel.links)
  try {
    return await channel.accept(to, channel.render(template, values))
  } catch (error) {
    if (error instanceof Refused) return channel.acceptUnrendered(to) ?? 'template_render_failed'
    if (error instanceof SubjectErased) return 'contact_gone'
    throw error
  }
}
