import type { ContactId, PushRevokeReason, WorkspaceId } from '@tidings/domain'

/** A browser that was registered for web push; where it is called, and with which keys, is in no table. */
export type PushSubscriptionRow<Time = Date> = {
  workspace_id: WorkspaceId
  endpoint_hash: string
  id: string
  contact_id: ContactId
  browser: string | null
  platform: string | null
  created_at: Time
  last_seen_at: Time
  revoked_at: Time | null
  revoke_reason: PushRevokeReason | null
}
