import { counter } from '@tidings/metrics'

const receipts = counter({
  name: 'tidings_phone_receipts_total',
  help: 'Reports about text messages and calls by outcome: applied, repeated, unchanged, unknown_message, unreadable',
  labelNames: ['outcome'],
})

const inbound = counter({
  name: 'tidings_inbound_sms_total',
  help: 'Text messages from people by outcome: stop, start, help, other, unknown, late, unreadable; behind: kept, and counted again when it is decided',
  labelNames: ['outcome'],
})

/** Counts a report about a text message or a call. */
export function countReceipt(outcome: string): void {
  receipts.inc({ outcome })
}

/** Counts a text message from a person. */
export function countInboundSms(outcome: string): void {
  inbound.inc({ outcome })
}
