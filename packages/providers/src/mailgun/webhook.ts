import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { entriesUpTo } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import { isOfRecipient, type MailReport } from '../email/report.ts'
import { type Fields, fieldsIn, fieldsOf } from '../http-api/json-fields.ts'

/** `read`: null where the signature is missing, wrong or too old; what it holds is null where the event changes nothing. */
export type MailgunWebhooks = Readonly<{ read: (body: Buffer, nowMs: number) => Readonly<{ report: MailReport | null }> | null }>

/** Behind the prefix of the API. */
export const MAILGUN_PATH = '/providers/email/mailgun'

/** Mailgun posts again for eight hours (https://documentation.mailgun.com/docs/mailgun/user-manual/events/webhooks). */
const OLDEST_MS = 9 * 3_600_000
const AHEAD_MS = 300_000
const MAX_TOKENS = 100_000
const MAX_TEXT = 2_000

/**
 * Verifies and reads what Mailgun posts: `{ signature: { timestamp, token, signature }, "event-data": … }`, of which the signature is HMAC-SHA256 over
 * the timestamp and the token, and not over the event (https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads). So one that somebody saw would
 * sign any event: it is taken for nine hours, and its token for one body alone. `keys`: of all domains that are configured; with none every signature is wrong.
 */
export function createMailgunWebhooks(keys: readonly string[]): MailgunWebhooks {
  const bodies = new LRUCache<string, string>({ ...entriesUpTo(MAX_TOKENS), ttl: OLDEST_MS + AHEAD_MS, ttlResolution: 60_000 })
  return {
    read: (body, nowMs) => {
      const posted = fieldsIn(body.toString('utf8'))
      const { timestamp, token, signature } = fieldsOf(posted.signature)
      if (typeof timestamp !== 'string' || typeof token !== 'string' || typeof signature !== 'string') return null
      if (!/^\d{10}$/.test(timestamp) || !/^[\w-]{16,128}$/.test(token) || !/^[\da-f]{64}$/.test(signature)) return null
      const ageMs = nowMs - Number(timestamp) * 1_000
      if (ageMs > OLDEST_MS || ageMs < -AHEAD_MS || !isSigned(keys, timestamp + token, signature)) return null
      const digest = createHash('sha256').update(body).digest('base64')
      if ((bodies.get(token) ?? digest) !== digest) return null
      bodies.set(token, digest)
      return { report: reportOf(fieldsOf(posted['event-data'])) }
    },
  }
}

/** Compared in constant time, with each key whatever the others say. */
function isSigned(keys: readonly string[], text: string, signature: string): boolean {
  const given = Buffer.from(signature, 'hex')
  return keys.map((key) => timingSafeEqual(createHmac('sha256', key).update(text).digest(), given)).includes(true)
}

/** The types of https://documentation.mailgun.com/docs/mailgun/user-manual/events/event-types that move a message. */
function reportOf(event: Fields): MailReport | null {
  const { 'message-id': id } = fieldsOf(fieldsOf(event.message).headers)
  if (typeof id !== 'string' || id === '' || id.length > 255) return null
  const { recipient } = event
  const of = {
    providerMessageId: id.replace(/^<(.*)>$/, '$1'),
    ...(typeof recipient === 'string' && recipient.length <= 320 && { to: recipient }),
  }
  if (event.event === 'delivered' || event.event === 'complained') return { ...of, type: event.event }
  if (event.event !== 'failed' || event.severity !== 'permanent') return null
  const status = fieldsOf(event['delivery-status'])
  const reason = [status.code, status.message, status.description].filter((part) => part !== undefined && part !== '').join(' ')
  const detail = reason === '' ? {} : { reason: reason.slice(0, MAX_TEXT) }
  // Mailgun keeps lists of addresses that bounced and of people that complained, and sends them nothing more.
  if (event.reason === 'suppress-complaint') return { ...of, ...detail, type: 'complained' }
  return { ...of, ...detail, type: 'bounced', hard: event.reason === 'suppress-bounce' || isStatusOfRecipient(status) }
}

function isStatusOfRecipient({ code, message, 'enhanced-code': enhanced }: Fields): boolean {
  if (typeof code !== 'number') return false
  const words = [enhanced, message].filter((part) => typeof part === 'string' && part !== '').join(' ')
  return isOfRecipient(code, `${code} ${words}`)
}
