import type { Consumer } from '@tidings/bus'
import { type Admitting, laneConsumer } from '../send/lane-consumer.ts'

export const SEND_PUSH = 'send-push'
export const SEND_MARKETING_PUSH = 'send-marketing-push'

/** Admits every accepted push. */
export function pushConsumer(admitting: Admitting): Consumer {
  return laneConsumer({ group: SEND_PUSH, type: 'PushAccepted', channel: 'push' }, admitting)
}
