import type { MessageStory } from '../../api/calls.ts'

// Why a message was not sent: the end of its story, and what lies behind that.

type Fact = MessageStory['facts'][number]

/** `facts`: consents, blocks and rules as they stood, oldest first, and the decision. */
export type NotSent = Readonly<{ reason: string; facts: readonly Fact[] }>

const ENDS: readonly string[] = ['MessageSuppressed', 'MessageSkipped', 'MessageFailed']
const BEHIND: readonly string[] = ['ContactConsentRecorded', 'ContactSuppressed', 'ContactSuppressionLifted', 'MarketingRulesChanged']

/** A contact of whom nothing was said has it from its creation, and a workspace its rules. */
const BEGINNINGS: readonly string[] = ['ContactCreated', 'WorkspaceCreated']

/** What followed from a message is not behind it. */
const isBehind = ({ type, says }: Fact): boolean => !says.startsWith('it followed') && (BEHIND.includes(type) || BEGINNINGS.includes(type))

/** Null where nothing kept the message from being sent: what a provider took and failed to bring was sent. */
export function notSent({ message, facts }: Pick<MessageStory, 'message' | 'facts'>): NotSent | null {
  const end = facts.findLast(({ type }) => ENDS.includes(type))
  if (
    end === undefined ||
    facts.some(({ type }) => type === 'MessageSent') ||
    message.failureReason === null ||
    !['suppressed', 'skipped', 'failed'].includes(message.status)
  )
    return null
  return { reason: message.failureReason, facts: [...facts.filter((fact) => fact.position <= end.position && isBehind(fact)), end] }
}
