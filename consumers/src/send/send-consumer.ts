import type { Consumer } from '@tidings/bus'
import { type Admitting, laneConsumer } from './lane-consumer.ts'

export const SEND_EMAIL = 'send-email'
export const SEND_MARKETING_EMAIL = 'send-marketing-email'

/** Admits every accepted email. */
export function sendConsumer(admitting: Admitting): Consumer {
  return laneConsumer({ group: SEND_EMAIL, type: 'EmailAccepted', channel: 'email' }, admitting)
}
