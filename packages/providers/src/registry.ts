import { mailgun } from './mailgun/mailgun.ts'
import { outboxEmail, outboxPush, outboxSms, outboxVoice } from './outbox/outbox.ts'
import { ses } from './ses/ses.ts'
import { smpp } from './smpp/smpp.ts'
import { smtp } from './smtp/smtp.ts'
import { twilioSms, twilioVoice } from './twilio/twilio.ts'
import { webPush } from './web-push/web-push.ts'

export { settingMust, settingPattern, settingsOf } from './provider-kind.ts'
export { webPush } from './web-push/web-push.ts'

/**
 * Every provider, by channel, in the order in which sentences name them. A further one is a folder and its name here: configuration, `tidings doctor`,
 * the service and the documents read this list (docs/how-to/add-a-provider.md).
 */
export const providerKinds = {
  email: [outboxEmail, smtp, mailgun, ses],
  sms: [outboxSms, twilioSms, smpp],
  voice: [outboxVoice, twilioVoice],
  push: [outboxPush, webPush],
} as const

/** What has a provider. */
export type ProviderChannel = keyof typeof providerKinds
