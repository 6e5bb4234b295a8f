// What the dashboard says in English, a file for each part of it. Every other language has the same keys, by the type of this one.
import { appWords } from './en/app.ts'
import { campaignsWords } from './en/campaigns.ts'
import { connectorsWords } from './en/connectors.ts'
import { creditsWords } from './en/credits.ts'
import { deadLettersWords } from './en/dead-letters.ts'
import { erasuresWords } from './en/erasures.ts'
import { eventsWords } from './en/events.ts'
import { fieldsWords } from './en/fields.ts'
import { fileWords } from './en/file.ts'
import { flowTryWords } from './en/flow-try.ts'
import { flowsWords } from './en/flows.ts'
import { formsWords } from './en/forms.ts'
import { listsWords } from './en/lists.ts'
import { mailboxWords } from './en/mailbox.ts'
import { meWords } from './en/me.ts'
import { messagesWords } from './en/messages.ts'
import { overviewWords } from './en/overview.ts'
import { profilesWords } from './en/profiles.ts'
import { projectionsWords } from './en/projections.ts'
import { proofsWords } from './en/proofs.ts'
import { sendersWords } from './en/senders.ts'
import { settingsWords } from './en/settings.ts'
import { systemWords } from './en/system.ts'
import { systemWorkspacesWords } from './en/system-workspaces.ts'
import { tagsWords } from './en/tags.ts'
import { templatesWords } from './en/templates.ts'
import { verifyWords } from './en/verify.ts'
import { webhooksWords } from './en/webhooks.ts'

export const en = {
  direction: 'ltr' as 'ltr' | 'rtl',
  locale: 'en',
  ...appWords,
  ...overviewWords,
  ...profilesWords,
  ...erasuresWords,
  ...proofsWords,
  ...messagesWords,
  ...listsWords,
  ...templatesWords,
  ...campaignsWords,
  ...sendersWords,
  ...connectorsWords,
  ...creditsWords,
  ...eventsWords,
  ...flowsWords,
  ...flowTryWords,
  ...formsWords,
  ...webhooksWords,
  ...deadLettersWords,
  ...settingsWords,
  ...fieldsWords,
  ...fileWords,
  ...tagsWords,
  ...systemWords,
  ...systemWorkspacesWords,
  ...projectionsWords,
  ...meWords,
  ...mailboxWords,
  ...verifyWords,
}

export type Words = typeof en
