import type { ListId, TemplateId, WorkspaceId } from '@tidings/domain'

/** Whether embedded forms are switched on, and where they may stand. */
export type FormSettingsRow = {
  workspace_id: WorkspaceId
  enabled: boolean
  origins: readonly string[]
}

/** `template_id` and `sender_address_id` are those of the mail that asks to confirm; both null where a sign-up takes effect at once. */
export type FormRow = {
  workspace_id: WorkspaceId
  form_id: string
  list_id: ListId
  template_id: TemplateId | null
  sender_address_id: string | null
}
