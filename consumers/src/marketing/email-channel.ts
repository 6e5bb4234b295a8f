import { putContent } from '@tidings/codec'
import { contactSubject } from '@tidings/domain'
import { renderEmail } from '@tidings/mail-content'
import type { Making, MarketingChannel, MessageFromSender } from './marketing-channel.ts'

/** Marketing mail, with a way to unsubscribe. */
export function emailChannel({ content, links }: Making, message: MessageFromSender): MarketingChannel<ReturnType<typeof renderEmail>> {
  const { workspaceId, contactId, messageId, templateId, from: fromEmail, senderName, campaign } = message
  const of = { messageId, contactId, templateId, kind: 'marketing', ...(campaign && { campaign }) } as const
  return {
    addressOf: ({ email }) => email,
    links: { unsubscribeUrl: () => links.unsubscribeUrl({ workspaceId, contactId, messageId }) },
    render: renderEmail,
    accept: async (to, { fromName, ...rendered }) => {
      const located = await putContent(content, { workspaceId, subject: contactSubject({ contactId }), ...rendered })
      const sender = { fromEmail, fromName: fromName ?? (await senderName()), replyTo: null }
      return { type: 'AcceptEmail', data: { ...of, to, ...sender, ...located } }
    },
    acceptUnrendered: (to) => {
      const nothing = { fromName: null, replyTo: null, content: null, contentId: null }
      return campaign ? { type: 'AcceptEmail', data: { ...of, to, fromEmail, ...nothing } } : null
    },
  }
}
