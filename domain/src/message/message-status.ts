import type { MessageReceiptIgnored } from './message.events.ts'

export type MessageStatus = 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed' | 'suppressed' | 'skipped'
export type Receipt = MessageReceiptIgnored['data']['receipt']
/** Kinds of receipt that are told apart when one is kept: a soft bounce says nothing about the address, a hard one does. */
export type ReceiptKind = Receipt | 'soft bounce'

export const receiptKind = ({ receipt, facts }: Pick<MessageReceiptIgnored['data'], 'receipt' | 'facts'>): ReceiptKind =>
  receipt === 'bounced' && facts?.hard === false ? 'soft bounce' : receipt

/**
 * Every move of the status (N171). A receipt may overtake the provider's answer, hence the moves out of `queued`;
 * nothing leads back, and what has no move is final.
 */
const moves: Readonly<Record<MessageStatus, readonly MessageStatus[]>> = {
  queued: ['sent', 'delivered', 'bounced', 'complained', 'failed', 'suppressed', 'skipped'],
  sent: ['delivered', 'bounced', 'complained', 'failed'],
  delivered: ['bounced', 'complained'],
  bounced: ['complained'],
  complained: [],
  failed: [],
  suppressed: [],
  skipped: [],
}

export const mayMove = (from: MessageStatus, to: MessageStatus): boolean => moves[from].includes(to)

/** `bounced` counts: only a complaint can follow it. */
export const isFinal = (status: MessageStatus): boolean => status === 'bounced' || moves[status].length === 0
