import type { MaybePromise } from '@tidings/async'
import type {
  ApiKeyId,
  ContactDetails,
  ContactId,
  CustomFieldKind,
  ListId,
  SenderAddressStatus,
  SenderIdStatus,
  SuppressionReason,
  TemplateChannel,
  TemplateContent,
  TemplateId,
  WorkspaceId,
  WorkspacePlan,
} from '@tidings/domain'

/** A workspace with its senders: everything a command of it may ask. Domains, addresses and SMS sender IDs are keyed in lower case. */
export type DirectoryWorkspace = Readonly<{
  workspaceId: WorkspaceId
  slug: string
  name: string
  plan: WorkspacePlan
  status: 'active' | 'suspended' | 'closed'
  /** Default region of local phone numbers. */
  country: string
  tracking: boolean
  /** By the ASCII form of the name (M46). */
  senderDomains: ReadonlyMap<string, Readonly<{ verified: boolean; blocklisted: boolean }>>
  /** By the key of the address (M46). */
  senderAddresses: ReadonlyMap<string, Readonly<{ name: string | null; status: SenderAddressStatus }>>
  /** The sender IDs in their stored casing, the oldest first. */
  smsSenders: ReadonlyMap<string, Readonly<{ senderId: string; status: SenderIdStatus }>>
}>

export type DirectoryKey = Readonly<{ keyId: ApiKeyId; workspaceId: WorkspaceId; status: 'active' | 'revoked' }>

export type DirectoryTemplate = Readonly<{ templateId: TemplateId; channel: TemplateChannel; archived: boolean; content: TemplateContent }>

/** The facts about a contact that sending and merging need. */
export type DirectoryContact = Readonly<{ contactId: ContactId; email: string | null; phone: string | null }> &
  Pick<ContactDetails, 'firstName' | 'lastName' | 'customProperties'> &
  Readonly<{ emailSuppressions: readonly SuppressionReason[]; smsSuppressions: readonly SuppressionReason[] }>

/** `confirmation`: the mail that asks to confirm a sign-up; null where it takes effect at once. */
export type DirectoryForm = Readonly<{
  listId: ListId
  confirmation: Readonly<{ templateId: TemplateId; fromEmail: string }> | null
  /** It takes no sign-up. */
  archived: boolean
}>

/**
 * Embedded forms of a workspace: `origins` as browsers send them, `forms` by their id. `confirmation`: what a sign-up by no known form asks for; null
 * where no form asks for any (M56).
 */
export type DirectoryForms = Readonly<{
  enabled: boolean
  origins: readonly string[]
  forms: ReadonlyMap<string, DirectoryForm>
  confirmation: DirectoryForm['confirmation']
}>

/** Properties by their keys. */
export type CustomFieldKinds = ReadonlyMap<string, CustomFieldKind>

/**
 * What a decision reads beside its own stream, from caches that follow the log: an answer is never older than the moment before
 * the call, except that what is missing may have been written in the last milliseconds. A value when it is cached, else a promise.
 */
export type Directory = Readonly<{
  /** Finds a key by the SHA-256 of the whole key, lower-case hex. */
  findKey: (hash: string) => MaybePromise<DirectoryKey | null>
  /** By slug or lower-case UUID. */
  findWorkspace: (reference: string) => MaybePromise<DirectoryWorkspace | null>
  /** A workspace that is known to exist. */
  workspace: (workspaceId: WorkspaceId) => MaybePromise<DirectoryWorkspace>
  /** By slug or lower-case UUID. */
  forms: (reference: string) => MaybePromise<DirectoryForms | null>
  /** The properties that a workspace, which is known to exist, has declared. */
  customFields: (workspaceId: WorkspaceId) => MaybePromise<CustomFieldKinds>
  template: (workspaceId: WorkspaceId, templateId: TemplateId) => MaybePromise<DirectoryTemplate | null>
  contact: (workspaceId: WorkspaceId, contactId: ContactId) => MaybePromise<DirectoryContact | null>
  /** Finds a contact by email if one is given and known, else by phone. Both are normalised. */
  contactBy: (workspaceId: WorkspaceId, values: Readonly<{ email?: string; phone?: string }>) => MaybePromise<DirectoryContact | null>
}>
