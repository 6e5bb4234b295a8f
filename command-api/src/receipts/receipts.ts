import type { Position } from '@tidings/event-store'

/** What a provider says about a message later on (operator.md §6). A bounce that does not say `hard` is hard. */
export type Receipt = Readonly<{
  workspaceId: string
  messageId: string
  type: 'delivered' | 'bounced' | 'complained' | 'failed'
  hard?: boolean
  reason?: string
  at: string
  requestId: string
}>

/** `position` is where to wait for the read side; null when nothing changed. */
export type ApplyReceipt = (
  receipt: Receipt,
) => Promise<Readonly<{ outcome: 'applied' | 'repeated' | 'unknown_message'; position: Position | null }>>

/** Which workspace a message of ours belongs to; null when there is none of that id. */
export type FindMessage = (messageId: string) => Promise<Readonly<{ workspaceId: string }> | null>
