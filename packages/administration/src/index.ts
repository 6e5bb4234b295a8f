export { appendContext } from './append-context.ts'
export { askedBy } from './asked-by.ts'
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
export { listErasures, readErasure } from './erasures/read-erasure.ts'
export { type ContactRun, runEvents, runStep, runsIn } from './flows/contact-runs.ts'
export { type FlowStatus, type FlowSummary, flowStatus, flowSummaries } from './flows/flow-list.ts'
export { messageContentReader } from './message-content.ts'
export { actNotes, forgetActs } from './noted-acts.ts'
export { personSections } from './person/person-sections.ts'
export { htmlSections, jsonSections, sectionTexts } from './person/section-text.ts'
export type { Section } from './person/sections.ts'
export { untilAnyErased, untilErased } from './person/until-erased.ts'
export { waitUntilVisible } from './read-your-writes.ts'
export { type AddressRecord, addressRecord } from './senders/address-record.ts'
export { askDomain } from './senders/ask-domain.ts'
export { dkimName, dkimTxt, newDkimKey, showsKey } from './senders/dkim-keys.ts'
export { type DomainRecord, domainRecord, senderDomainNamed, type TxtRecord } from './senders/domain-record.ts'
export {
  dmarcPolicy,
  dmarcRecords,
  type FoundTexts,
  lookUpTexts,
  printable,
  quoted,
  spfRecords,
  spfTerms,
  uselessTerms,
} from './senders/mail-records.ts'
export { type SmsSender, smsSenders } from './senders/sms-senders.ts'
export { askDelivery, dropDeleted, testDelivery } from './webhooks/ask-delivery.ts'
export {
  type EndpointWithWaiting,
  type OutcomeCounts,
  webhookEndpoints,
  webhookOutcomes,
} from './webhooks/endpoints.ts'
export { type WebhookTry, webhookTries } from './webhooks/tries.ts'
export { workspaceRecord } from './workspace.ts'
