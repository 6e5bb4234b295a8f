import type { EventLog, Recorded } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import {
  type CampaignEvent,
  type CampaignId,
  type CampaignState,
  type ContactId,
  type EmailContent,
  type MessageCommand,
  type MessageId,
  planOf,
  type TemplateId,
  variantOf,
  type WorkspaceId,
} from '@tidings/domain'
import { joinedEmail } from '@tidings/mail-content'
import { draftMessage, type NotDrafted } from '../marketing/draft-message.ts'
import { senderNameOf } from '../marketing/template-now.ts'
import { createSenderIdView } from '../views/sender-id-view.ts'
import { createWorkspaceView } from '../views/workspace-view.ts'
import { textsFixedAt } from './fixed-texts.ts'
import { type NotSendable, sendableNow } from './sendable-now.ts'

/** `log`: read for each question, as of now. */
export type MakingCopy = Readonly<{ log: EventLog; commands: CommandRunner }>

/** `variant`: counted from 0; by default the one that the contact gets. `unsubscribeUrl`: what the tag becomes in a mail. */
export type WantedCopy = Readonly<{
  workspaceId: WorkspaceId
  campaignId: CampaignId
  state: NonNullable<CampaignState>
  /** The events of the campaign. */
  events: readonly Recorded<CampaignEvent>[]
  contactId: ContactId
  messageId: MessageId
  variant?: number
  unsubscribeUrl: string
}>

export type NotCopied = NotDrafted | NotSendable | 'suspended' | 'unknown_variant'

/** A message as a campaign would make it for a contact. A mail's content is here and stored nowhere. */
export type CampaignCopy = Readonly<{ variant: number; templateId: TemplateId }> &
  (
    | Readonly<{ accept: Extract<MessageCommand, { type: 'AcceptEmail' }>; content: EmailContent }>
    | Readonly<{ accept: Extract<MessageCommand, { type: 'AcceptSms' }> }>
  )

/** Makes it by the code that the sending itself uses, from the sender and the contact as they are now, and the texts that it has. Writes nothing. */
export async function makeCopy({ log, commands }: MakingCopy, wanted: WantedCopy): Promise<CampaignCopy | NotCopied> {
  const { workspaceId, campaignId, contactId, messageId, state } = wanted
  const plan = state.started ?? planOf(state.settings)
  const asking = { log, commands, workspaces: createWorkspaceView(log), senderIds: createSenderIdView(log) }
  const sendable = await sendableNow(asking, { workspaceId, textsAt: textsFixedAt(wanted.events) }, plan)
  if (typeof sendable === 'string') return sendable
  const variant = wanted.variant ?? variantOf(campaignId, contactId, plan.variants)
  const { [variant]: template } = sendable.templates
  const { [variant]: chosen } = plan.variants
  if (template === undefined || chosen === undefined) return 'unknown_variant'
  let stored: EmailContent | null = null
  const content = {
    put: async (_: string, __: string, large: EmailContent) => {
      stored = large
      return messageId
    },
  }
  const { templateId } = chosen
  const { from } = sendable
  const drafted = await draftMessage(
    { contacts: log, content, links: { unsubscribeUrl: () => wanted.unsubscribeUrl } },
    {
      workspaceId,
      contactId,
      messageId,
      channel: state.channel,
      templateId,
      from,
      senderName: () => senderNameOf(commands, workspaceId, from),
    },
    { template: async () => template, properties: async () => ({}) },
  )
  if (typeof drafted === 'string') return drafted
  if (drafted.type === 'AcceptSms') return { variant, templateId, accept: drafted }
  if (drafted.type !== 'AcceptEmail') throw new TypeError(`a campaign makes no ${drafted.type}`)
  const { merged, templateDigest: _, ...data } = drafted.data
  const mail = data.content ?? stored ?? (merged ? joinedEmail(merged, template) : null)
  if (mail === null) throw new TypeError('a mail without content')
  return { variant, templateId, accept: { ...drafted, data }, content: mail }
}
