import type {
  ApiKeyId,
  DomainProof,
  EndpointId,
  SenderAddressStatus,
  UserRole,
  WorkspaceId,
  WorkspacePlan,
  WorkspaceStatus,
} from '@tidings/domain'

export type WorkspaceRow<Time = Date> = {
  workspace_id: WorkspaceId
  slug: string
  name: string
  plan: WorkspacePlan
  status: WorkspaceStatus
  country: string
  tracking: boolean
  created_at: Time
  updated_at: Time
}

/** `hash`: SHA-256 of the whole key, lowercase hex. When it was last used stands in `ops`, not here. */
export type ApiKeyRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: ApiKeyId
  name: string
  prefix: string
  hash: string
  status: 'active' | 'revoked'
  created_at: Time
  revoked_at: Time | null
}

/** A person who works with the workspace. The hash of the password stays in the log. */
export type UserRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: string
  email: string
  role: UserRole
  created_at: Time
  updated_at: Time
}

/** `verified`, `blocklisted`: what holds. `said_…`: the operator's word, null where DNS decides. `configured_at`: of the last word. */
export type SenderDomainRow<Time = Date> = {
  workspace_id: WorkspaceId
  domain: string
  verified: boolean
  blocklisted: boolean
  said_verified: boolean | null
  said_blocklisted: boolean | null
  token: string | null
  proof: DomainProof | null
  listed_in: readonly string[]
  missing_since: Time | null
  configured_at: Time
  updated_at: Time
}

/** `domain` is what stands behind the @, for the join with `sender_domains`. `confirm_by`: when the link of the last mail to it ends, whose id is `confirmation_id`. */
export type SenderAddressRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: string
  email: string
  domain: string
  name: string | null
  status: SenderAddressStatus
  confirm_by: Time | null
  confirmation_id: string | null
  created_at: Time
  updated_at: Time
}

/** An endpoint without its signing secret, which is in no table. */
export type WebhookRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: EndpointId
  url: string
  label: string | null
  events: readonly string[]
  active: boolean
  created_at: Time
}
