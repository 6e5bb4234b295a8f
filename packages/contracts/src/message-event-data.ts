import { Type } from '@sinclair/typebox'
import { described } from './described.ts'
import { cause, causeExample, causeSentences } from './event-cause.ts'
import { exampleIds } from './examples.ts'
import { nullableText, Uuid } from './kinds.ts'

const message = { ...cause, channel: Type.String(), messageId: Uuid }
const messageSentences = { ...causeSentences, channel: 'What the message was sent by.', messageId: 'The UUID of the message.' } as const
const providerMessageId = nullableText()
const providerSentence = 'The id that the provider gave the message, or null.'
const emailExample = { ...causeExample, channel: 'email', messageId: exampleIds.message }
const smsExample = { ...causeExample, channel: 'sms', messageId: exampleIds.message, providerMessageId: 'SM1001' }

export const EmailOpenedData = described(Type.Object(message), {
  name: 'EmailOpenedData',
  about: 'The first open of a tracked mail.',
  fields: messageSentences,
  example: emailExample,
})

export const EmailClickedData = described(Type.Object({ ...message, url: Type.String() }), {
  name: 'EmailClickedData',
  about: 'A click on a link of a tracked mail.',
  fields: { ...messageSentences, url: 'Where the link led, as the mail had it.' },
  example: { ...emailExample, url: 'https://shop.example/tea' },
})

export const SmsDeliveredData = described(Type.Object({ ...message, providerMessageId }), {
  name: 'SmsDeliveredData',
  about: 'A text message that was delivered.',
  fields: { ...messageSentences, providerMessageId: providerSentence },
  example: smsExample,
})

export const SmsFailedData = described(Type.Object({ ...message, providerMessageId, reason: Type.String() }), {
  name: 'SmsFailedData',
  about: 'A text message that failed.',
  fields: { ...messageSentences, providerMessageId: providerSentence, reason: 'Why, as `failureReason` of the message says.' },
  example: { ...smsExample, reason: 'undeliverable' },
})

export const CampaignSentData = described(Type.Object({ ...message, providerMessageId, campaignId: Uuid }), {
  name: 'CampaignSentData',
  about: 'A message of a campaign that was sent.',
  fields: { ...messageSentences, providerMessageId: providerSentence, campaignId: 'The UUID of the campaign.' },
  example: { ...emailExample, providerMessageId: null, campaignId: exampleIds.campaign },
})

const outcome = Type.Object({
  ...{ ...message, providerMessageId },
  ...{ reason: Type.Optional(Type.String()), campaignId: Type.Optional(Uuid), flowId: Type.Optional(Uuid) },
})

export const MessageOutcomeData = described(outcome, {
  name: 'MessageOutcomeData',
  about: 'A message whose status moved (M64).',
  fields: {
    ...messageSentences,
    providerMessageId: 'The id that the provider gave the message; null before it took it.',
    reason: 'Why, as `failureReason` of the message says; absent where it has none.',
    campaignId: 'The UUID of the campaign that it is of; absent where it is of none.',
    flowId: 'The UUID of the flow that it is of; absent where it is of none.',
  },
  example: { ...emailExample, providerMessageId: '4Z1k2Y0', reason: 'hard_bounce' },
})
