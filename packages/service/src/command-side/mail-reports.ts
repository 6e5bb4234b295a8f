import { OperationFailed } from '@tidings/config'
import {
  createMailgunWebhooks,
  createSnsInbox,
  type MailgunWebhooks,
  mailgunAccountIn,
  providersNamed,
  type SnsInbox,
  sesAccountIn,
} from '@tidings/providers'

/** The reports of all Mailgun domains of the setting that have a signing key; without one, no report is taken. */
export function mailgunWebhooks(setting: string): MailgunWebhooks {
  return createMailgunWebhooks(ofEach(setting, (address) => mailgunAccountIn(address)?.webhookKey ?? null))
}

/** The reports of all accounts of Amazon SES of the setting that name a topic; without one, no report is taken. */
export function snsInbox(setting: string): SnsInbox {
  return createSnsInbox(ofEach(setting, (address) => sesAccountIn(address)?.topic ?? null))
}

function ofEach<Account>(setting: string, find: (address: string) => Account | null): readonly Account[] {
  try {
    return providersNamed('email', setting)
      .map(({ address }) => find(address))
      .filter((found) => found !== null)
  } catch (error) {
    throw new OperationFailed(`TIDINGS_EMAIL_PROVIDER cannot be used. ${error instanceof Error ? error.message : ''}`)
  }
}
