import type { CampaignChannel } from '@tidings/domain'
import { SEND_EMAIL, SEND_MARKETING_EMAIL } from '../send/send-consumer.ts'
import { SEND_MARKETING_SMS, SEND_SMS } from '../send-sms/sms-consumer.ts'

/** How messages of campaigns of a channel are sent. `group`: of the consumer that admits them; `kind`: of the jobs that it makes of them. */
export type LaneOf = Readonly<{ group: string; kind: string }>

export const laneOf: Readonly<Record<CampaignChannel, LaneOf>> = {
  email: { group: SEND_EMAIL, kind: SEND_MARKETING_EMAIL },
  sms: { group: SEND_SMS, kind: SEND_MARKETING_SMS },
}
