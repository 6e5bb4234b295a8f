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

/** How often an outcome came in an hour. `hour`: hours since 1970 in UTC, so that a day can begin at any of them. */
export type MessageHourRow = {
  workspace_id: WorkspaceId
  hour: number
  channel: MessageChannel
  kind: FigureKind
  outcome: FigureOutcome
  messages: bigint
}

/** A message that its recipient clicked in: counted once. */
export type ClickedMessageRow = { workspace_id: WorkspaceId; message_id: MessageId }

/** How many contacts came to a status of a channel in an hour, and how many left it: by what they said, or by their erasure. */
export type ConsentHourRow = {
  workspace_id: WorkspaceId
  hour: number
  channel: ConsentChannel
  status: ConsentStatus
  came: bigint
  went: bigint
}

/** How many contacts have a status of a channel now. Those that never said anything are not counted. */
export type ConsentTotalRow = { workspace_id: WorkspaceId; channel: ConsentChannel; status: ConsentStatus; contacts: bigint }

/** The status that a contact has by what it said of a channel, so that its erasure can be counted. */
export type SaidConsentRow = { workspace_id: WorkspaceId; contact_id: ContactId; channel: ConsentChannel; status: ConsentStatus }
