import type {
  ContactConsentRecorded,
  EmailAccepted,
  EmailClicked,
  EmailOpened,
  MessageBounced,
  MessageCampaign,
  MessageComplained,
  MessageDelivered,
  MessageFailed,
  MessageId,
  MessageSent,
  MessageSkipped,
  MessageSuppressed,
  SmsAccepted,
  WorkspaceId,
} from '@tidings/domain'
import { defineProjection, defineTable, type RowRef, type Rows, row } from '@tidings/projections'
import type { CampaignOutcome, CampaignQueueRow, CampaignResponseRow, CampaignResultRow } from '@tidings/read-models'

type MessageOutcome =
  | MessageSent
  | MessageDelivered
  | MessageBounced
  | MessageComplained
  | MessageFailed
  | MessageSuppressed
  | MessageSkipped
type CountedEvent = EmailAccepted | SmsAccepted | MessageOutcome | EmailOpened | EmailClicked | ContactConsentRecorded

/** A batch writes each of its rows once, however many messages it counts; room on the page makes that an update in place. */
const results = defineTable<CampaignResultRow>({
  name: 'campaign_results',
  columns: { workspace_id: 'uuid', campaign_id: 'uuid', variant: 'integer', outcome: 'text', reason: 'text', messages: 'bigint' },
  key: ['workspace_id', 'campaign_id', 'variant', 'outcome', 'reason'],
  fillfactor: 50,
})

/** The table has a row only for messages that wait: a million recipients leave no row behind. */
const queue = defineTable<CampaignQueueRow>({
  name: 'campaign_queue',
  columns: { workspace_id: 'uuid', message_id: 'uuid', taken: 'boolean' },
  key: ['workspace_id', 'message_id'],
  cachedRows: 20_000,
})

const responses = defineTable<CampaignResponseRow>({
  name: 'campaign_responses',
  columns: { workspace_id: 'uuid', message_id: 'uuid', response: 'text' },
  key: ['workspace_id', 'message_id', 'response'],
})

/** A message of a campaign, as the event of it says. */
type OfCampaign = MessageCampaign & Readonly<{ workspaceId: WorkspaceId; messageId: MessageId }>
type OfEvent = CountedEvent & Readonly<{ meta: Readonly<{ workspaceId: WorkspaceId }> }>
type Counted = Readonly<{ outcome: CampaignOutcome; reason?: string }>

const ACCEPTED: Counted = { outcome: 'accepted' }
const QUEUED: Counted = { outcome: 'queued' }
const SENT: Counted = { outcome: 'sent' }

/** Null for what is of no campaign. */
const campaignOf = ({ data, meta: { workspaceId } }: OfEvent): OfCampaign | null => {
  const { messageId, campaign } = 'messageId' in data ? data : { messageId: undefined, campaign: undefined, ...data.message }
  return messageId === undefined || !campaign ? null : { ...campaign, workspaceId, messageId }
}

/** The counts that an event changes; null for what machines did (M6), and for a consent by which no contact left. */
const countedBy = ({ type, data }: CountedEvent): Counted | null => {
  switch (type) {
    case 'EmailAccepted':
    case 'SmsAccepted':
      return ACCEPTED
    case 'MessageSent':
      return SENT
    case 'MessageDelivered':
      return { outcome: 'delivered' }
    case 'MessageComplained':
      return { outcome: 'complained' }
    case 'MessageBounced':
      return { outcome: 'bounced', reason: data.reason }
    case 'MessageFailed':
      return { outcome: 'failed', reason: data.reason }
    case 'MessageSuppressed':
      return { outcome: 'suppressed', reason: data.reason }
    case 'MessageSkipped':
      return { outcome: 'skipped', reason: data.reason }
    case 'EmailOpened':
      return data.machine ? null : { outcome: 'opened' }
    case 'EmailClicked':
      return data.machine ? null : { outcome: 'clicked' }
    case 'ContactConsentRecorded':
      return data.to === 'unsubscribed' && data.from !== data.to ? { outcome: 'unsubscribed' } : null
    default:
      return type satisfies never
  }
}

const resultRow = ({ workspaceId, campaignId, variant }: OfCampaign, { outcome, reason = '' }: Counted): RowRef =>
  row(results, workspaceId, campaignId, String(variant), outcome, reason)

const queueRow = ({ workspaceId, messageId }: OfCampaign): RowRef => row(queue, workspaceId, messageId)

const reads = (event: OfEvent): readonly RowRef[] => {
  const [of, counted] = [campaignOf(event), countedBy(event)]
  if (of === null || counted === null) return []
  const { outcome } = counted
  const count = resultRow(of, counted)
  if (outcome === 'opened') return [count]
  if (outcome === 'accepted') return [count, resultRow(of, QUEUED)]
  if (outcome === 'clicked' || outcome === 'unsubscribed') return [count, row(responses, of.workspaceId, of.messageId, outcome)]
  return [count, resultRow(of, QUEUED), resultRow(of, SENT), queueRow(of)]
}

const add = (rows: Rows, of: OfCampaign, { outcome, reason = '' }: Counted, change = 1n): void => {
  const { workspaceId, campaignId, variant } = of
  const messages = (rows.get(results, ...resultRow(of, { outcome, reason }).key)?.messages ?? 0n) + change
  rows.put(results, { workspace_id: workspaceId, campaign_id: campaignId, variant, outcome, reason, messages })
}

/** Folds only events that count, of messages of a campaign. */
const fold = (handle: (of: OfCampaign, counted: Counted, rows: Rows) => void) => (event: OfEvent, rows: Rows) => {
  const [of, counted] = [campaignOf(event), countedBy(event)]
  if (of !== null && counted !== null) handle(of, counted, rows)
}

const accept = fold((of, counted, rows) => {
  rows.create(queue, { workspace_id: of.workspaceId, message_id: of.messageId, taken: false })
  add(rows, of, counted)
  add(rows, of, QUEUED)
})

/** A message whose receipt came first is counted as sent already. */
const sent = fold((of, counted, rows) => {
  const waiting = leaveQueue(of, rows)
  if (waiting !== undefined) rows.delete(queue, ...queueRow(of).key)
  if (waiting?.taken !== true) add(rows, of, counted)
})

/** The provider has it, whatever it answers. */
const taken = fold((of, counted, rows) => {
  const waiting = leaveQueue(of, rows)
  if (waiting?.taken === false) {
    rows.put(queue, { ...waiting, taken: true })
    add(rows, of, SENT)
  }
  add(rows, of, counted)
})

const ended = fold((of, counted, rows) => {
  if (leaveQueue(of, rows)?.taken === false) rows.delete(queue, ...queueRow(of).key)
  add(rows, of, counted)
})

const leaveQueue = (of: OfCampaign, rows: Rows): CampaignQueueRow | undefined => {
  const waiting = rows.get(queue, ...queueRow(of).key)
  if (waiting?.taken === false) add(rows, of, QUEUED, -1n)
  return waiting
}

const opened = fold((of, counted, rows) => add(rows, of, counted))

/** Counts once a message, however often it happens. */
const responded = fold((of, counted, rows) => {
  // Only these two outcomes lead here.
  const response = counted.outcome === 'clicked' ? 'clicked' : 'unsubscribed'
  if (rows.get(responses, of.workspaceId, of.messageId, response) !== undefined) return
  rows.put(responses, { workspace_id: of.workspaceId, message_id: of.messageId, response })
  add(rows, of, counted)
})

/**
 * The outcomes of the messages of each campaign, by variant. Their own decider lets every outcome and the first open be recorded once a
 * message, so that all but clicks and unsubscriptions can be counted without a row a message.
 */
export const campaignResultsProjection = defineProjection<CountedEvent>({
  name: 'campaign_results',
  version: 1,
  tables: [results, queue, responses],
  personal: [],
  // What becomes of a message is seen in the counts of many. What people do is a request, which may wait.
  isPatient: ({ data }) => 'messageId' in data,
  reads,
  on: {
    EmailAccepted: accept,
    SmsAccepted: accept,
    MessageSent: sent,
    MessageDelivered: taken,
    MessageComplained: taken,
    MessageBounced: ended,
    MessageFailed: ended,
    MessageSuppressed: ended,
    MessageSkipped: ended,
    EmailOpened: opened,
    EmailClicked: responded,
    ContactConsentRecorded: responded,
  },
})
