import { renderSms, smsCredits, smsSegments } from '@tidings/domain'
import type { MarketingChannel, MessageFromSender } from './marketing-channel.ts'

/** Marketing text messages. Their sender ID and their credits are judged by their lane, as those of every text message. */
export function smsChannel({ messageId, contactId, templateId, from, campaign }: MessageFromSender): MarketingChannel<string> {
  const of = { messageId, contactId, from, templateId, kind: 'marketing', ...(campaign && { campaign }) } as const
  return {
    addressOf: ({ phone }) => phone,
    // They would lead out of the mails: STOP is the way out of texts.
    links: null,
    render: ({ body }, values) => renderSms(body ?? '', values),
    accept: async (to, body) => {
      const price = { credits: smsCredits(body), segments: smsSegments(body) }
      return { type: 'AcceptSms', data: { ...of, to, body, ...price } }
    },
    acceptUnrendered: (to) => (campaign ? { type: 'AcceptSms', data: { ...of, to, body: '', credits: 0, segments: 0 } } : null),
  }
}
