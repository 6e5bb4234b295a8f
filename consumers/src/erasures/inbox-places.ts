import { makeLanesDue } from '@tidings/inbox'
import type { Pool } from 'pg'
import { SEND_EMAIL, SEND_MARKETING_EMAIL } from '../send/send-consumer.ts'
import { SEND_MARKETING_PUSH, SEND_PUSH } from '../send-push/push-consumer.ts'
import { SEND_MARKETING_SMS, SEND_SMS } from '../send-sms/sms-consumer.ts'
import type { PersonalPlace } from './erasing.ts'

const LANES: Readonly<Record<string, readonly string[]>> = {
  email: [SEND_EMAIL, SEND_MARKETING_EMAIL],
  sms: [SEND_SMS, SEND_MARKETING_SMS],
  push: [SEND_PUSH, SEND_MARKETING_PUSH],
}

/** What the consumers keep of a contact beside the log. */
export function inboxPlaces(pool: Pool): readonly PersonalPlace[] {
  return [
    {
      // Their lanes end them, as `undeliverable`: credits that are held go back as ever.
      name: 'waiting messages',
      clear: async ({ contactId }) => {
        let madeDue = 0
        for (const [channel, kinds] of Object.entries(LANES))
          for (const kind of kinds) madeDue += await makeLanesDue(pool, kind, [`${contactId}:${channel}`])
        return madeDue
      },
    },
    {
      name: 'counted marketing messages',
      clear: ({ workspaceId, contactId }) =>
        deleted(pool, 'delete from ops.marketing_message where workspace_id = $1 and contact_id = $2', [workspaceId, contactId]),
    },
    {
      name: 'queued messages of flows',
      clear: ({ workspaceId, contactId }) =>
        deleted(pool, 'delete from ops.flow_message where workspace_id = $1 and contact_id = $2', [workspaceId, contactId]),
    },
    {
      name: 'times of dynamic lists',
      clear: ({ workspaceId, contactId }) =>
        deleted(pool, 'delete from lists.due where workspace_id = $1 and contact_id = $2', [workspaceId, contactId]),
    },
  ]
}

const deleted = async (pool: Pool, text: string, values: readonly string[]): Promise<number> =>
  (await pool.query(text, [...values])).rowCount ?? 0
