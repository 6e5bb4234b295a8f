export { appendContext } from './append-context.ts'
export {
  type CampaignCopies,
  type CampaignPreview,
  NoCopy,
  type NoCopyReason,
  type OneCopy,
  type PreviewBlock,
  type SentCopy,
  type TestCopy,
} from './campaigns/copies.ts'
export { campaignFigures, type ShownCampaign, type WaitsFor } from './campaigns/figures.ts'
export { type KnownCampaign, knownCampaign } from './campaigns/known-campaign.ts'
export { type ContactName, parseContactName } from './contact-name.ts'
export { type MessageContentReader, messageContentReader } from './message-content.ts'
export { waitUntilVisible } from './read-your-writes.ts'
export { askDelivery, dropDeleted, testDelivery } from './webhooks/ask-delivery.ts'
export {
  type EndpointWithWaiting,
  type OutcomeCounts,
  webhookEndpoints,
  webhookOutcomes,
} from './webhooks/endpoints.ts'
export { type WebhookTry, webhookTries } from './webhooks/tries.ts'
export { workspaceRecord } from './workspace.ts'
