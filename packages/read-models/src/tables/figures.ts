import type { ConsentChannel, ConsentStatus, ContactId, MessageChannel, MessageId, WorkspaceId } from '@tidings/domain'

/** What `message_hours` counts: `opened` and `clicked` once a message, and never what machines did (M6). */
export type FigureOutcome =
  | 'accepted'
  | 'sent'
  | 'delivered'
  | 'bounced'
  | 'complained'
  | 'failed'
  | 'suppressed'
  | 'skipped'
  | 'opened'
  | 'clicked'

/** `campaign`: of a campaign; `passcode`: of no contact; `single`: every other message, one call or one step of a flow each. */
export type FigureKind = 'campaign' | 'passcode' | 'single'

/** The numbers of each quarter of an hour: zones are apart by quarters, so that a day can begin in any zone. */
type Quarters = { q1: bigint; q2: bigint; q3: bigint; q4: bigint }

/** How often an outcome came in an hour. `hour`: hours since 1970 in UTC. */
export type MessageHourRow = Quarters & {
  workspace_id: WorkspaceId
  hour: number
  channel: MessageChannel
  kind: FigureKind
  outcome: FigureOutcome
}

/** A message that its recipient clicked in: counted once. */
export type ClickedMessageRow = { workspace_id: WorkspaceId; message_id: MessageId }

/** How many more contacts had a status of a channel behind each quarter of an hour than before it: by what they said, and by their erasure. */
export type ConsentHourRow = Quarters & {
  workspace_id: WorkspaceId
  hour: number
  channel: ConsentChannel
  status: ConsentStatus
}

/** How many contacts have a status of a channel now. Those that never said anything are not counted. */
export type ConsentTotalRow = { workspace_id: WorkspaceId; channel: ConsentChannel; status: ConsentStatus; contacts: bigint }

/** The status that a contact has by what it said of a channel, so that its erasure can be counted. */
export type SaidConsentRow = { workspace_id: WorkspaceId; contact_id: ContactId; channel: ConsentChannel; status: ConsentStatus }
