import { type ClaimEvent, claimDeclarations } from './claim/claim.events.ts'
import { type ContactEvent, contactDeclarations } from './contact/contact.events.ts'
import type { EventDeclarations } from './kernel.ts'
import { type ListEvent, listDeclarations } from './list/list.events.ts'
import { type MembersEvent, membersDeclarations } from './members/members.events.ts'
import { type MessageEvent, messageDeclarations } from './message/message.events.ts'
import { type TagsEvent, tagsDeclarations } from './tags/tags.events.ts'
import { type TemplateEvent, templateDeclarations } from './template/template.events.ts'
import { type WebhooksEvent, webhooksDeclarations } from './webhooks/webhooks.events.ts'
import { type WorkspaceEvent, workspaceDeclarations } from './workspace/workspace.events.ts'

/** Everything that can stand in the log. */
export type DomainEvent =
  | ClaimEvent
  | ContactEvent
  | ListEvent
  | MembersEvent
  | MessageEvent
  | TagsEvent
  | TemplateEvent
  | WebhooksEvent
  | WorkspaceEvent

/** How each event type is stored. A type that is missing here can be neither written nor read. */
export const eventDeclarations: EventDeclarations = {
  ...claimDeclarations,
  ...contactDeclarations,
  ...listDeclarations,
  ...membersDeclarations,
  ...messageDeclarations,
  ...tagsDeclarations,
  ...templateDeclarations,
  ...webhooksDeclarations,
  ...workspaceDeclarations,
}
