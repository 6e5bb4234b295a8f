import type {
  CampaignChannel,
  CampaignId,
  CampaignStatus,
  CustomFieldKind,
  CustomFieldOption,
  ListId,
  SenderIdStatus,
  TemplateId,
  WorkspaceId,
} from '@tidings/domain'

export type CustomFieldRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: string
  key: string
  label: string
  kind: CustomFieldKind
  options: readonly CustomFieldOption[]
  created_at: Time
  updated_at: Time
}

export type SmsSenderRow<Time = Date> = {
  workspace_id: WorkspaceId
  sender_id: string
  status: SenderIdStatus
  /** Why it was rejected. */
  reason: string | null
  created_at: Time
  updated_at: Time
}

export type CustomEventRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: string
  name: string
  label: string
  properties: readonly string[]
  retired: boolean
  created_at: Time
  updated_at: Time
}

/** `schedule_at` is when it is to be sent, while it is scheduled; `sent_at` when it was, where that is known. */
export type CampaignRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: CampaignId
  name: string
  channel: CampaignChannel
  status: CampaignStatus
  tag_ids: readonly string[]
  list_id: ListId | null
  template_id: TemplateId | null
  archived: boolean
  variants: number
  schedule_at: Time | null
  sent_at: Time | null
  created_at: Time
  updated_at: Time
}
