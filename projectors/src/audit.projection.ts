import type { Recorded } from '@tidings/codec'
import type { DomainEvent } from '@tidings/domain'
import { defineProjection, defineTable, type Rows } from '@tidings/projections'
import { type AuditRow, timelinePlace } from '@tidings/read-models'

const audit = defineTable<AuditRow<string>>({
  name: 'audit',
  columns: {
    workspace_id: 'uuid',
    place: 'text',
    at: 'timestamptz',
    actor: 'text',
    type: 'text',
    thing: 'text?',
    request_id: 'text',
  },
  key: ['workspace_id', 'place'],
  indices: [{ name: 'by_actor', on: 'workspace_id, actor, place' }],
})

/** By each type the field that names what the event is about. */
type Things = { readonly [Type in DomainEvent['type']]?: (keyof Extract<DomainEvent, { type: Type }>['data'] & string) | null }

/** These set the workspace up, by a session, a key, a file or the command line. */
const CONFIGURATION = {
  ...{ WorkspaceCreated: null, WorkspaceSettingsChanged: null, WorkspaceStatusChanged: null, WorkspaceFeaturesSet: null },
  ...{ MarketingRulesChanged: null, SmsRepliesSet: null, SmsStopWordsSet: null, FormOriginsSet: null, FormConfigured: 'formId' },
  ...{ ApiKeyCreated: 'keyId', ApiKeyRevoked: 'keyId', ApiKeyDeleted: 'keyId', UserConfigured: 'userId', UserRemoved: 'userId' },
  ...{ SenderDomainConfigured: 'domain', SenderDomainTokenIssued: 'domain', SenderDomainChecked: 'domain' },
  ...{ DkimKeyCreated: 'domain', DkimSelectorChosen: 'domain' },
  ...{ SenderAddressConfigured: 'addressId', SenderConfirmationIssued: 'addressId' },
  ...{ SmsSenderIdRequested: 'senderId', SmsSenderIdApproved: 'senderId', SmsSenderIdRejected: 'senderId' },
  ...{ SmsSenderIdDeactivated: 'senderId', CreditsAdded: null },
  ...{
    TemplateCreated: 'templateId',
    TemplateContentChanged: 'templateId',
    TemplateArchived: 'templateId',
    TemplateRestored: 'templateId',
  },
  ...{ ListCreated: 'listId', ListRuleChanged: 'listId', TagCreated: 'tagId', TagColorChanged: 'tagId' },
  ...{ FlowDefined: 'flowId', FlowPaused: 'flowId', FlowResumed: 'flowId', FlowRetired: 'flowId', FlowRestored: 'flowId' },
  ...{ CampaignCreated: 'campaignId', CampaignChanged: 'campaignId', CampaignScheduled: 'campaignId', CampaignUnscheduled: 'campaignId' },
  ...{ CampaignStarted: 'campaignId', CampaignPaused: 'campaignId', CampaignResumed: 'campaignId', CampaignCancelled: 'campaignId' },
  ...{ WebhookEndpointCreated: 'endpointId', WebhookEndpointPaused: 'endpointId', WebhookEndpointResumed: 'endpointId' },
  ...{ WebhookEndpointDeleted: 'endpointId', CustomFieldConfigured: 'fieldId', CustomEventDeclared: 'eventId' },
  ...{ ConnectorConfigured: 'connectorId', ContactErasureRequested: 'contactId' },
} as const satisfies Things

/** What is done with people: a key and an import do so all day, so these are rows only where somebody asked who was signed in. */
const PEOPLE = {
  ...{
    ContactCreated: 'contactId',
    ContactDetailsChanged: 'contactId',
    ContactEmailChanged: 'contactId',
    ContactPhoneChanged: 'contactId',
  },
  ...{ ContactConsentRecorded: 'contactId', ContactSuppressed: 'contactId', ContactSuppressionLifted: 'contactId' },
  ...{ ContactAddedToList: 'listId', ContactRemovedFromList: 'listId', ActivityRecorded: 'contactId' },
  ...{ EmailAccepted: 'messageId', SmsAccepted: 'messageId' },
} as const satisfies Things

type Audited = keyof typeof CONFIGURATION | keyof typeof PEOPLE
type AuditedEvent = Extract<DomainEvent, { type: Audited }>

const SIGNED_IN = /^(?:user|operator):/
const SOMEBODY = /^(?:user:|key:|operator(?::|$))/

const noteOf =
  (actors: RegExp, field: string | null) =>
  ({ id, type, data, revision, meta }: Recorded<AuditedEvent>, rows: Rows): void => {
    if (!actors.test(meta.actor)) return
    const { workspaceId, actor, at, requestId } = meta
    const thing = field === null ? null : String((data as Readonly<Record<string, unknown>>)[field] ?? '')
    const place = timelinePlace({ at, thingId: id, revision })
    rows.create(audit, { workspace_id: workspaceId, place, at, actor, type, thing, request_id: requestId })
  }

const notesOf = (things: Readonly<Record<string, string | null>>, actors: RegExp) =>
  Object.entries(things).map(([type, field]) => [type, noteOf(actors, field)] as const)

/** The projection says who did what, in ids alone: what a service or a recipient caused is not in it. An erasure takes no row away: an id that somebody changed says nothing of a person. */
export const auditProjection = defineProjection<AuditedEvent>({
  name: 'audit',
  version: 1,
  tables: [audit],
  personal: [],
  // No request waits for it.
  isPatient: () => true,
  reads: () => [],
  on: Object.fromEntries([...notesOf(CONFIGURATION, SOMEBODY), ...notesOf(PEOPLE, SIGNED_IN)]) as Readonly<
    Record<Audited, (event: Recorded<AuditedEvent>, rows: Rows) => void>
  >,
})
