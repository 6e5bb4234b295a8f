import type { TagColor, TemplateChannel, TemplateContent, TemplateId, WorkspaceId } from '@tidings/domain'

export type TemplateRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: TemplateId
  name: string
  channel: TemplateChannel
  archived: boolean
  subject: string | null
  html: string | null
  text: string | null
  body: string | null
  push: TemplateContent['push']
  from_name: string | null
  merge_fields: readonly string[]
  created_at: Time
  updated_at: Time
}

export type TagRow<Time = Date> = {
  workspace_id: WorkspaceId
  id: string
  name: string
  color: TagColor | null
  created_at: Time
  updated_at: Time
}
