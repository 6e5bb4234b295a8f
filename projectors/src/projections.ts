import type { AnyProjection } from '@tidings/projections'
import { activityFactsProjection } from './activity-facts.projection.ts'
import { auditProjection } from './audit.projection.ts'
import { campaignResultsProjection } from './campaign-results.projection.ts'
import { campaignsProjection } from './campaigns.projection.ts'
import { consentHistoryProjection } from './consent-history.projection.ts'
import { contactTimelineProjection } from './contact-timeline.projection.ts'
import { customEventsProjection } from './custom-events.projection.ts'
import { customFieldsProjection } from './custom-fields.projection.ts'
import { figuresProjection } from './figures/figures.projection.ts'
import { flowRunsProjection } from './flow-runs.projection.ts'
import { flowStepsProjection } from './flow-steps.projection.ts'
import { flowsProjection } from './flows.projection.ts'
import { formsProjection } from './forms.projection.ts'
import { listsProjection } from './lists/lists.projection.ts'
import { messagesProjection } from './messages.projection.ts'
import { profilesProjection } from './profiles/profiles.projection.ts'
import { pushSubscriptionsProjection } from './push-subscriptions.projection.ts'
import { senderAddressesProjection } from './sender-addresses.projection.ts'
import { smsRecipientsProjection } from './sms-recipients.projection.ts'
import { smsSendersProjection } from './sms-senders.projection.ts'
import { tagsProjection } from './tags.projection.ts'
import { templatesProjection } from './templates.projection.ts'
import { usersProjection } from './users.projection.ts'
import { walletsProjection } from './wallets.projection.ts'
import { webhooksProjection } from './webhooks.projection.ts'
import { workspacesProjection } from './workspaces.projection.ts'

/** Every projection there is. A projection that is not listed here does not run. */
export const projections: readonly AnyProjection[] = [
  workspacesProjection,
  usersProjection,
  senderAddressesProjection,
  formsProjection,
  templatesProjection,
  tagsProjection,
  listsProjection,
  profilesProjection,
  consentHistoryProjection,
  contactTimelineProjection,
  messagesProjection,
  walletsProjection,
  webhooksProjection,
  pushSubscriptionsProjection,
  customFieldsProjection,
  smsSendersProjection,
  smsRecipientsProjection,
  customEventsProjection,
  campaignsProjection,
  campaignResultsProjection,
  activityFactsProjection,
  flowsProjection,
  flowRunsProjection,
  flowStepsProjection,
  auditProjection,
  figuresProjection,
]
