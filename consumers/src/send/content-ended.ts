import type { DetailKind, MessageCommand } from '@tidings/domain'

/** The outcome of a message whose content ended before it left. */
export const EXPIRED: MessageCommand = { type: 'RecordFailed', data: { reason: 'expired', detail: null } }

/** Whether retention has ended what the message says; `said` is null of it too where its week had ended when the message was written. */
export function contentEnded({ ended }: Readonly<{ ended?: readonly DetailKind[] }>, said: unknown): boolean {
  return said === null || ended?.includes('content') === true
}
