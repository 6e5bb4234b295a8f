import type { Consumer } from '@tidings/bus'
import { type Admitting, laneConsumer } from '../send/lane-consumer.ts'

export const SEND_SMS = 'send-sms'
export const SEND_MARKETING_SMS = 'send-marketing-sms'

/** Admits every accepted text message. */
export function smsConsumer(admitting: Admitting): Consumer {
  return laneConsumer({ group: SEND_SMS, type: 'SmsAccepted', channel: 'sms' }, admitting)
}
