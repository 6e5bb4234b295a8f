import type { BounceOutcome } from '@tidings/consumers'
import { metrics } from '@tidings/http'
import { Counter, Gauge } from 'prom-client'

const mails = new Counter({
  name: 'tidings_bounce_mails_total',
  help: 'Mails of the mailbox of bounces by outcome: applied, unsubscribed, repeated, unknown_message, no_news, auto_reply, stranger, unreadable, failed',
  labelNames: ['outcome'],
  registers: [metrics],
})
const outage = new Gauge({
  name: 'tidings_bounce_mailbox_outage',
  help: 'Whether the mailbox of bounces cannot be read; in the process that reads it',
  registers: [metrics],
})

/** Counts one mail that was read. */
export function countBounceMail(outcome: BounceOutcome): void {
  mails.inc({ outcome })
}

export function showBounceMailboxOutage(down: boolean): void {
  outage.set(down ? 1 : 0)
}
