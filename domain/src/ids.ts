declare const named: unique symbol

/** A text that names one record of its kind. At run time it is a plain string: the compiler alone tells the kinds apart, so it costs nothing. */
type Id<Kind extends string> = string & { readonly [named]: Kind }

export type WorkspaceId = Id<'workspace'>
export type ContactId = Id<'contact'>
export type MessageId = Id<'message'>
export type CampaignId = Id<'campaign'>
export type FlowId = Id<'flow'>
export type TemplateId = Id<'template'>
export type ListId = Id<'list'>
export type FormId = Id<'form'>
export type EndpointId = Id<'endpoint'>
export type ApiKeyId = Id<'api-key'>
export type VerificationId = Id<'verification'>
export type RecordId = Id<string>

/** The nil UUID (RFC 9562 §5.9): the id of no record, and before every id in their order. */
export const NIL_ID = '00000000-0000-0000-0000-000000000000'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether the text is a UUID, in either case. Another text is no part of a stream's name, and no value of a query. */
export function isUuid(text: string): boolean {
  return text.length === 36 && UUID.test(text)
}

// Only the edges say what a text names, where it enters or is made: docs/explanation/architecture.md lists them. These are the only casts to an id.

export function asWorkspaceId(text: string): WorkspaceId {
  return text as WorkspaceId
}

export function asContactId(text: string): ContactId {
  return text as ContactId
}

export function asMessageId(text: string): MessageId {
  return text as MessageId
}

export function asCampaignId(text: string): CampaignId {
  return text as CampaignId
}

export function asFlowId(text: string): FlowId {
  return text as FlowId
}

export function asTemplateId(text: string): TemplateId {
  return text as TemplateId
}

export function asListId(text: string): ListId {
  return text as ListId
}

export function asFormId(text: string): FormId {
  return text as FormId
}

export function asEndpointId(text: string): EndpointId {
  return text as EndpointId
}

export function asApiKeyId(text: string): ApiKeyId {
  return text as ApiKeyId
}

export function asVerificationId(text: string): VerificationId {
  return text as VerificationId
}
