import { placeContent } from '@tidings/codec'
import { contactSubject, renderEmail } from '@tidings/domain'
import type { Making, MarketingChannel, MessageFromSender } from './marketing-channel.ts'

/** Marketing mail, with a way to unsubscribe. */
export function emailChannel({ content, links }: Making, message: MessageFromSender): MarketingChannel<ReturnType<typeof renderEmail>> {
  const { workspaceId, contactId, messageId, templateId, from: fromEmail, senderName, campaign } = message
  return {
    addressOf: ({ email }) => email,
    links: { unsubscribeUrl: () => links.unsubscribeUrl({ workspaceId, contactId, messageId }) },
    render: renderEmail,
    accept: async (to, { fromName, ...rendered }) => {
      const placed = await placeContent(content, { workspaceId, subject: contactSubject({ contactId }), content: rendered })
      const sender = { fromEmail, fromName: fromName ?? (await senderName()), replyTo: null }
      const data = { messageId, contactId, to, ...sender, ...placed, templateId, kind: 'marketing', ...(campaign && { campaign }) } as const
      return { type: 'AcceptEmail', data }
    },
  }
}
