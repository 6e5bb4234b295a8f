import { OperationFailed } from '@tidings/config'
import { createMailgunWebhooks, type MailgunWebhooks, mailgunAccountIn, providersNamed } from '@tidings/providers'

/** The reports of all Mailgun domains of the setting that have a signing key; without one, no report is taken. */
export function mailgunWebhooks(setting: string): MailgunWebhooks {
  try {
    const keys = providersNamed('email', setting).flatMap(({ address }) => mailgunAccountIn(address)?.webhookKey ?? [])
    return createMailgunWebhooks(keys)
  } catch (error) {
    throw new OperationFailed(`TIDINGS_EMAIL_PROVIDER cannot be used. ${error instanceof Error ? error.message : ''}`)
  }
}
