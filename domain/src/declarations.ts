import { type ActivityEvent, activityDeclarations } from './activity/activity.ts'
import { type CampaignEvent, campaignDeclarations } from './campaign/campaign.events.ts'
import { type ClaimEvent, claimDeclarations } from './claim/claim.ts'
import { type ConnectorsEvent, connectorsDeclarations } from './connector/connectors.ts'
import { type ContactEvent, contactDeclarations } from './contact/contact.events.ts'
import { type CustomEventEvent, customEventDeclarations } from './custom-event/custom-event.ts'
import { type CustomFieldEvent, customFieldDeclarations } from './custom-field/custom-field.ts'
import { type EnrolmentEvent, enrolmentDeclarations } from './enrolment/enrolment.ts'
import { type FlowEvent, flowDeclarations } from './flow/flows.ts'
import type { EventDeclarations } from './kernel.ts'
import { type ListEvent, listDeclarations } from './list/list.ts'
import { type MembersEvent, membersDeclarations } from './members/members.ts'
import { type MessageEvent, messageDeclarations } from './message/message.events.ts'
import { type OtpEvent, otpDeclarations } from './otp/otp.ts'
import { type PushSubscriptionEvent, pushSubscriptionDeclarations } from './push/push-subscription.ts'
import { type RetentionEvent, retentionDeclarations } from './retention/retention.ts'
import { type SenderIdsEvent, senderIdsDeclarations } from './sender-id/sender-ids.ts'
import { type SenderNumbersEvent, senderNumbersDeclarations } from './sender-id/sender-numbers.ts'
import { type SignUpEvent, signUpDeclarations } from './sign-up/sign-up.ts'
import { type TagsEvent, tagsDeclarations } from './tags/tags.ts'
import { type TemplateEvent, templateDeclarations } from './template/template.ts'
import { type UserEvent, userDeclarations } from './user/user.ts'
import { type WalletEvent, walletDeclarations } from './wallet/wallet.ts'
import { type WebhooksEvent, webhooksDeclarations } from './webhooks/webhooks.ts'
import { type WorkspaceEvent, workspaceDeclarations } from './workspace/workspace.events.ts'

/** Every event type of the log. */
export type DomainEvent =
  | ActivityEvent
  | CampaignEvent
  | ClaimEvent
  | ConnectorsEvent
  | ContactEvent
  | CustomEventEvent
  | CustomFieldEvent
  | EnrolmentEvent
  | FlowEvent
  | ListEvent
  | MembersEvent
  | MessageEvent
  | OtpEvent
  | PushSubscriptionEvent
  | RetentionEvent
  | SenderIdsEvent
  | SenderNumbersEvent
  | SignUpEvent
  | TagsEvent
  | TemplateEvent
  | UserEvent
  | WalletEvent
  | WebhooksEvent
  | WorkspaceEvent

const declared = {
  ...activityDeclarations,
  ...campaignDeclarations,
  ...claimDeclarations,
  ...connectorsDeclarations,
  ...contactDeclarations,
  ...customEventDeclarations,
  ...customFieldDeclarations,
  ...enrolmentDeclarations,
  ...flowDeclarations,
  ...listDeclarations,
  ...membersDeclarations,
  ...messageDeclarations,
  ...otpDeclarations,
  ...pushSubscriptionDeclarations,
  ...retentionDeclarations,
  ...senderIdsDeclarations,
  ...senderNumbersDeclarations,
  ...signUpDeclarations,
  ...tagsDeclarations,
  ...templateDeclarations,
  ...userDeclarations,
  ...walletDeclarations,
  ...webhooksDeclarations,
  ...workspaceDeclarations,
}

/** The way in which each event type is stored. A type that is missing here can be neither written nor read. */
export const eventDeclarations: EventDeclarations = declared

/** The fields of a type that are encrypted; never where it has none. */
export type PersonalField<Type extends DomainEvent['type']> = (typeof declared)[Type] extends {
  readonly personal: { readonly fields: readonly (infer Field extends string)[] }
}
  ? Field
  : never
