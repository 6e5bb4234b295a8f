import type { DomainEvent } from './declarations.ts'

// What the audit of a workspace has a row for.

/** By each type the field that names what the event is about. */
type Things = { readonly [Type in DomainEvent['type']]?: (keyof Extract<DomainEvent, { type: Type }>['data'] & string) | null }

/** These set the workspace up, by a session, a key, a file or the command line. */
export const AUDITED_CONFIGURATION = {
  ...{ WorkspaceCreated: null, WorkspaceSettingsChanged: null, WorkspaceStatusChanged: null, WorkspaceFeaturesSet: null },
  ...{ MarketingRulesChanged: null, SmsRepliesSet: null, SmsStopWordsSet: null, FormOriginsSet: null },
  ...{ FormConfigured: 'formId', FormArchived: 'formId', FormRestored: 'formId' },
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
export const AUDITED_OF_PEOPLE = {
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

/** The type of an event that the audit may show. */
export type AuditedType = keyof typeof AUDITED_CONFIGURATION | keyof typeof AUDITED_OF_PEOPLE
