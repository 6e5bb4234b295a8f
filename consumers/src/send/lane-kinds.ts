import { SEND_MARKETING_PUSH, SEND_PUSH } from '../send-push/push-consumer.ts'
import { SEND_MARKETING_SMS, SEND_SMS } from '../send-sms/sms-consumer.ts'
import { SEND_EMAIL, SEND_MARKETING_EMAIL } from './send-consumer.ts'

/** The kinds of jobs that send messages of a channel; a lane of theirs is `<contact>:<channel>`. */
export const LANE_KINDS = {
  email: { transactional: SEND_EMAIL, marketing: SEND_MARKETING_EMAIL },
  sms: { transactional: SEND_SMS, marketing: SEND_MARKETING_SMS },
  push: { transactional: SEND_PUSH, marketing: SEND_MARKETING_PUSH },
} as const

/** Those of marketing, which has times to wait for. */
export const MARKETING_KINDS: readonly string[] = Object.values(LANE_KINDS).map(({ marketing }) => marketing)
