import { makeLanesDue, messageLane, SEND_CHANNELS, SEND_KINDS } from '@tidings/jobs'
import type { Pool } from 'pg'
import type { PersonalLocation } from './erasing.ts'

/** The rows that consumers keep of a contact beside the log. */
export function inboxLocations(pool: Pool): readonly PersonalLocation[] {
  return [
    {
      // Their lanes end them, as `undeliverable`: credits that are held go back as ever.
      name: 'waiting messages',
      clear: async ({ contactId }) => {
        let madeDue = 0
        for (const channel of SEND_CHANNELS)
          for (const kind of Object.values(SEND_KINDS[channel]))
            madeDue += await makeLanesDue(pool, kind, [messageLane(contactId, channel)])
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
