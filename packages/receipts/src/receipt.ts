import type { MessageId, WorkspaceId } from '@tidings/domain'

/** A provider's report about an email after it was sent. A bounce without `hard` is hard (N171). */
export type Receipt = Readonly<{
  workspaceId: WorkspaceId
  messageId: MessageId
  type: 'delivered' | 'bounced' | 'complained' | 'failed'
  hard?: boolean
  reason?: string
  /** The addresses that the report is about, where it says so. */
  recipients?: readonly string[]
  /** The time of the event, ISO with milliseconds. */
  at: string
  /** The correlation of the call that brought it. */
  requestId: string
}>
