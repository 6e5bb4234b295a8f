export { campaignWaitsFor, type WaitsFor } from '@tidings/consumers'
export { previewCampaign } from './preview-campaign.ts'
export { sendTestCopy } from './send-test-copy.ts'
