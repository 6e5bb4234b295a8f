import type { Consumer } from '@tidings/bus'
import { type Admitting, laneConsumer } from '../send/lane-consumer.ts'

export const SEND_SMS = 'send-sms'

/** Admits every accepted text message. */
export function smsConsumer(admitting: Admitting): Consumer {
  return laneConsumer({ group: SEND_SMS, type: 'SmsAccepted', channel: 'sms' }, admitting)
}
