import type { DomainEvent } from '@tidings/domain'

/**
 * What goes to Kafka: the events that some consumer takes. Keys, secrets, claims and templates never do. A type more or less is no trouble
 * for what runs: the relay begins a new chain of positions there.
 */
export const RELAYED_TYPES = [
  'ActivityRecorded',
  'CampaignCancelled',
  'CampaignPaused',
  'CampaignResumed',
  'CampaignScheduled',
  'CampaignStarted',
  'CampaignUnscheduled',
  'ContactAddedToList',
  'ContactConsentRecorded',
  'ContactCreated',
  'ContactDetailsChanged',
  'ContactEmailChanged',
  'ContactEmailValidated',
  'ContactPhoneChanged',
  'ContactRemovedFromList',
  'ContactEnteredFlow',
  'ContactSuppressed',
  'ContactSuppressionLifted',
  'EmailAccepted',
  'EmailClicked',
  'EmailOpened',
  'FlowResumed',
  'ListRuleChanged',
  'MessageBounced',
  'MessageComplained',
  'MessageDelivered',
  'MessageFailed',
  'MessageReceiptIgnored',
  'MessageSent',
  'MessageSkipped',
  'MessageSuppressed',
  'SenderConfirmationIssued',
  'SmsAccepted',
  'WebhookEndpointDeleted',
  'WebhookEndpointPaused',
  'WorkspaceStatusChanged',
] as const satisfies readonly DomainEvent['type'][]
