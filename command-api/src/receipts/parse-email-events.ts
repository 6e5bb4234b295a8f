import { asMessageId, type MessageId } from '@tidings/domain'

/** One line of `POST /providers/email/events` (O6). */
export type EmailEvent = Readonly<{
  type: 'delivered' | 'bounced' | 'complained'
  providerMessageId?: string
  messageId?: MessageId
  /** The recipient, if the provider names it. */
  to?: string
  hard?: boolean
  reason?: string
}>

const MAX_EVENTS = 1_000
const MAX_TEXT = 2_000
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const TYPES = ['delivered', 'bounced', 'complained'] as const

const isText = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TEXT
const isTextOrAbsent = (value: unknown): value is string | undefined | null => value === undefined || value === null || isText(value)

const parseOne = (value: unknown, at: number): EmailEvent | string => {
  if (typeof value !== 'object' || value === null) return `events[${at}] must be an object`
  const { type, providerMessageId, messageId, to, hard, reason } = value as Record<string, unknown>
  const known = TYPES.find((one) => one === type)
  if (known === undefined) return `events[${at}].type must be one of the following values: ${TYPES.join(', ')}`
  if (!isTextOrAbsent(providerMessageId) || !isTextOrAbsent(messageId)) return `events[${at}] names its message by text`
  if (messageId && !UUID.test(messageId)) return `events[${at}].messageId must be a UUID`
  if (!messageId && !providerMessageId) return `events[${at}] must have a providerMessageId or a messageId`
  if (hard !== undefined && hard !== null && typeof hard !== 'boolean') return `events[${at}].hard must be a boolean value`
  if (!isTextOrAbsent(reason)) return `events[${at}].reason must be a string of at most ${MAX_TEXT} characters`
  return {
    type: known,
    ...(providerMessageId && { providerMessageId }),
    ...(messageId && { messageId: asMessageId(messageId.toLowerCase()) }),
    ...(typeof to === 'string' && to.length <= MAX_TEXT && { to }),
    ...(typeof hard === 'boolean' && { hard }),
    ...(reason && { reason }),
  }
}

/** The events of a body, or a sentence that says what is wrong; then none of them is applied. Unknown fields are ignored. */
export function parseEmailEvents(body: unknown): readonly EmailEvent[] | string {
  if (!Array.isArray(body)) return 'The body must be an array of events'
  if (body.length > MAX_EVENTS) return `The body must contain no more than ${MAX_EVENTS} events`
  const parsed = body.map(parseOne)
  return parsed.find((one) => typeof one === 'string') ?? parsed.filter((one) => typeof one !== 'string')
}
