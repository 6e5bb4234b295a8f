import { inOrder } from '@tidings/async'
import { type AppendContext, type EventLog, type Recorded, SubjectErased } from '@tidings/codec'
import {
  asTemplateId,
  type CampaignStarted,
  type MessageCommand,
  type MessageId,
  type MessageStatus,
  message,
  messageStream,
  type TemplateContent,
  variantOf,
} from '@tidings/domain'
import { EventIdConflict, type Position, WrongExpectedRevision } from '@tidings/event-store'
import { draftMessage, type NotDrafted } from '../marketing/draft-message.ts'
import { campaignActor, campaignMessageId } from './campaign-ids.ts'
import type { CampaignWork } from './campaign-work.ts'
import type { Recipient } from './recipient-table.ts'
import type { Sendable } from './sendable-now.ts'

/** What a page is begun with. `channel`: of the campaign; `senderName`: asked once. */
export type Beginning = Sendable &
  Readonly<{ started: Recorded<CampaignStarted>; channel: 'email' | 'sms'; senderName: () => Promise<string | null> }>

/**
 * `resolved`: recipients that have an outcome, or will never have one. `accepted`: the provider took the message of one of them. `complete` false: the
 * page was stopped, and the rest is begun later. `begun`: the positions of the messages that wait.
 */
export type BegunPage = Readonly<{ resolved: readonly Recipient[]; accepted: boolean; complete: boolean; begun: readonly bigint[] }>

/** One recipient's state: the position of its queued message; or `accepted` by the provider; or `resolved` otherwise, also without any message. */
type Begun = bigint | 'accepted' | 'resolved'

/**
 * So many are read, appended, admitted and shown together: each step of a page and each reader of its messages takes one statement for all of them. Transactional
 * requests are appended between two of these.
 */
const AT_ONCE = 64
/**
 * Characters of templates that are rendered, sealed and kept at once: each mail is in memory as text, as JSON and sealed, and every request of the process waits
 * while those that are begun together are rendered.
 */
const CHARACTERS_AT_ONCE = 2_000_000
const AT_LEAST = 8

/** Accepts the messages of some recipients, which their lane then judges and sends. A contact that has one already gets no other (M36). */
export async function beginPage(
  work: CampaignWork,
  beginning: Beginning,
  { recipients, signal }: Readonly<{ recipients: readonly Recipient[]; signal: AbortSignal }>,
): Promise<BegunPage> {
  const outcomes = await inOrder(recipients, widthFor(beginning.templates), async (recipient) =>
    signal.aborted || !(await isSending(work, recipient)) ? 'stopped' : await begin(work, beginning, recipient),
  )
  return {
    resolved: recipients.filter((_, index) => outcomes[index] === 'resolved' || outcomes[index] === 'accepted'),
    accepted: outcomes.includes('accepted'),
    complete: !outcomes.includes('stopped'),
    begun: outcomes.filter((outcome) => typeof outcome === 'bigint'),
  }
}

/** How many recipients are begun at once, by the largest of the templates. */
const widthFor = (templates: readonly TemplateContent[]): number => {
  const largest = Math.max(1, ...templates.map(({ html, text, body }) => (html?.length ?? 0) + (text?.length ?? 0) + (body?.length ?? 0)))
  return Math.min(AT_ONCE, Math.max(AT_LEAST, Math.floor(CHARACTERS_AT_ONCE / largest)))
}

/** Asked for each: a pause or a cancel keeps back recipients that were not begun. */
const isSending = async ({ campaigns }: CampaignWork, { workspaceId, campaignId }: Recipient): Promise<boolean> =>
  (await campaigns.find(workspaceId, campaignId)).status === 'sending'

const begin = async (work: CampaignWork, beginning: Beginning, recipient: Recipient): Promise<Begun> => {
  const messageId = campaignMessageId(recipient)
  const drafted = await draft(work, beginning, { ...recipient, messageId })
  // The person is gone, or took the address away: no message can be made.
  if (typeof drafted === 'string') return 'resolved'
  try {
    return await accept(work, beginning, { recipient, messageId, command: drafted })
  } catch (error) {
    if (error instanceof SubjectErased) return 'resolved'
    throw error
  }
}

const draft = (
  { content, links, recipients }: CampaignWork,
  { started, channel, from, templates, senderName }: Beginning,
  { workspaceId, campaignId, contactId, messageId }: Recipient & Readonly<{ messageId: MessageId }>,
): Promise<MessageCommand | NotDrafted> => {
  const { variants } = started.data
  const variant = variantOf(campaignId, contactId, variants)
  const templateId = variants[variant]?.templateId ?? asTemplateId('')
  return draftMessage(
    { content, links, contacts: recipients },
    { workspaceId, contactId, messageId, channel, templateId, from, senderName, campaign: { campaignId, variant } },
    { template: async () => templates[variant] ?? null, properties: async () => ({}) },
  )
}

const TAKEN: ReadonlySet<string> = new Set(['sent', 'delivered', 'bounced', 'complained'] satisfies readonly MessageStatus[])

type Accepting = Readonly<{ recipient: Recipient; messageId: MessageId; command: MessageCommand }>

const accept = async (
  { log, commands, now }: CampaignWork,
  { started }: Beginning,
  { recipient: { workspaceId, campaignId }, messageId, command }: Accepting,
): Promise<Begun> => {
  const stream = messageStream(workspaceId, messageId)
  const context = {
    commandId: messageId,
    workspaceId,
    actor: campaignActor(campaignId),
    requestId: started.meta.requestId,
    causationId: started.id,
    at: new Date(now()).toISOString(),
  }
  const appended = await appendFirst(log, { stream, command, context })
  if (appended !== null) return appended.commit
  // The message is from an earlier attempt, whose outcome may already have been handled: without this answer its row would stay.
  const { state, position } = await commands.execute({ decider: message, stream, command, context })
  if (state.status === 'queued') return position?.commit ?? 0n
  return TAKEN.has(state.status) ? 'accepted' : 'resolved'
}

type FirstAppend = Readonly<{ stream: string; command: MessageCommand; context: AppendContext }>

/** Decides on an empty stream, without a read; null where there is a message already. */
const appendFirst = async (log: Pick<EventLog, 'append'>, { stream, command, context }: FirstAppend): Promise<Position | null> => {
  try {
    const { position, duplicate } = await log.append(stream, 'no_stream', message.decide(command, message.initialState), context)
    return duplicate ? null : position
  } catch (error) {
    if (error instanceof WrongExpectedRevision || error instanceof EventIdConflict) return null
    throw error
  }
}
