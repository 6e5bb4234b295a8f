import type { ContentStore } from '@tidings/codec'
import type {
  ContactId,
  ContactState,
  EmailContent,
  MergeLinks,
  MergeValues,
  MessageCampaign,
  MessageCommand,
  MessageId,
  TemplateContent,
  TemplateId,
  WorkspaceId,
} from '@tidings/domain'
import type { Links } from '@tidings/mail-content'

/** A message to be made from a template. */
export type MarketingMessage = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; messageId: MessageId; templateId: TemplateId }>

/** A message of a channel that has senders. `from`: a sender address or a sender ID; `senderName`: what the workspace calls that address. */
export type MessageFromSender = MarketingMessage &
  Readonly<{ from: string; senderName: () => Promise<string | null>; campaign?: MessageCampaign }>

/** The parts that channels need to make messages. */
export type Making = Readonly<{ content: Pick<ContentStore<EmailContent>, 'put'>; links: Pick<Links, 'unsubscribeUrl'> }>

/** The parts that differ by channel. `links`: those that its templates may use; `render` throws `Refused` if a template cannot be rendered. */
export type MarketingChannel<Rendered> = Readonly<{
  addressOf: (contact: ContactState) => string | null
  links: MergeLinks | null
  render: (template: TemplateContent, values: MergeValues) => Rendered
  /** Rejects with `SubjectErased` where the person is gone. */
  accept: (to: string, rendered: Rendered) => Promise<MessageCommand>
  /** Accepts one of which nothing could be made, for its lane to record it as failed; null for a message that leaves no record then. */
  acceptUnrendered: (to: string) => MessageCommand | null
}>
