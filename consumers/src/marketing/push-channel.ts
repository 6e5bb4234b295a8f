import { type PushContent, Refused, renderPush } from '@tidings/domain'
import type { MarketingChannel, MarketingMessage } from './marketing-channel.ts'

/** Notifications of flows; campaigns are email or SMS. They go to the browsers that the contact has when their lane sends them. */
export function pushChannel({ messageId, contactId, templateId }: MarketingMessage): MarketingChannel<PushContent> {
  return {
    addressOf: ({ browsers }) => browsers.at(-1)?.endpointHash ?? null,
    // It would lead out of the mails: the browser's own setting is the way out of notifications.
    links: null,
    render: ({ push }, values) => {
      if (push === null) throw new Refused('template_channel_mismatch')
      return renderPush(push, values)
    },
    accept: async (_, rendered) => ({ type: 'AcceptPush', data: { messageId, contactId, ...rendered, templateId, kind: 'marketing' } }),
    acceptUnrendered: () => null,
  }
}
