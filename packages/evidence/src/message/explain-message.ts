import { type ContactId, type MessageId, type WorkspaceEvent, type WorkspaceId, workspaceStream } from '@tidings/domain'
import { type Fact, inLogOrder } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { campaignFacts } from './campaign-facts.ts'
import { creditFacts } from './credit-facts.ts'
import { deliveryFacts } from './delivery-facts.ts'
import { flowFacts } from './flow-facts.ts'
import { type KnownMessage, readMessage } from './known-message.ts'
import { marketingFacts } from './marketing-facts.ts'
import { recipientFacts } from './recipient-facts.ts'
import { requestFacts } from './request-facts.ts'
import { senderFacts } from './sender-facts.ts'
import { statusFacts } from './status-facts.ts'
import { templateFacts } from './template-facts.ts'
import { readWaiting, type Waiting } from './waiting.ts'

/** `to` is null for a push and once the recipient is erased; `waiting` once nothing is left to send. */
type ExplainedMessage = Readonly<{
  id: string
  channel: string
  status: string
  failureReason: string | null
  contactId: ContactId | null
  to: string | null
  erased: boolean
  waiting: Waiting | null
}>

/** Every fact that led to a message and its status, oldest first (D5). */
export type MessageExplained = Readonly<{ message: ExplainedMessage; facts: readonly Fact[] }>

/** The whole way of a message, from the request to the provider's last word; null where the workspace has no such message. */
export async function explainMessage(
  sources: Sources,
  wanted: Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>,
): Promise<MessageExplained | null> {
  const known = await readMessage(sources, wanted)
  if (known === null) return null
  const workspace = await readAll<WorkspaceEvent>(sources, wanted.workspaceId, workspaceStream(wanted.workspaceId))
  const facts = await Promise.all([
    templateFacts(sources, known),
    senderFacts(sources, known, workspace),
    recipientFacts(sources, known),
    marketingFacts(known, workspace),
    campaignFacts(sources, known),
    flowFacts(sources, known),
    requestFacts(known, workspace),
    creditFacts(sources, known),
    statusFacts(known),
    deliveryFacts(sources, known),
  ])
  return { message: explained(known, await readWaiting(sources, known)), facts: inLogOrder(facts.flat()) }
}

const explained = ({ messageId, accepted, state }: KnownMessage, waiting: Waiting | null): ExplainedMessage => ({
  id: messageId,
  channel: accepted.data.channel,
  status: state.status,
  failureReason: state.failureReason,
  contactId: accepted.data.contactId,
  to: state.to,
  erased: accepted.erased,
  waiting,
})
