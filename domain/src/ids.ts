declare const named: unique symbol

/** A text that names one record of its kind. At run time it is a plain string: the compiler alone tells the kinds apart, so it costs nothing. */
type Id<Kind extends string> = string & { readonly [named]: Kind }
/** An id that a plain string is accepted for too, but no id of another kind. */
type LooseId<Kind extends string> = string & { readonly [named]?: Kind }

export type WorkspaceId = Id<'workspace'>
export type ContactId = Id<'contact'>
export type MessageId = LooseId<'message'>
export type CampaignId = LooseId<'campaign'>
export type FlowId = LooseId<'flow'>
export type TemplateId = LooseId<'template'>
export type ListId = LooseId<'list'>

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
