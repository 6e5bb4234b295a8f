import type { Words } from './en.ts'
import { appWords } from './he/app.ts'
import { campaignsWords } from './he/campaigns.ts'
import { connectorsWords } from './he/connectors.ts'
import { creditsWords } from './he/credits.ts'
import { deadLettersWords } from './he/dead-letters.ts'
import { erasuresWords } from './he/erasures.ts'
import { eventsWords } from './he/events.ts'
import { fieldsWords } from './he/fields.ts'
import { fileWords } from './he/file.ts'
import { flowTryWords } from './he/flow-try.ts'
import { flowsWords } from './he/flows.ts'
import { formsWords } from './he/forms.ts'
import { listsWords } from './he/lists.ts'
import { mailboxWords } from './he/mailbox.ts'
import { meWords } from './he/me.ts'
import { messagesWords } from './he/messages.ts'
import { overviewWords } from './he/overview.ts'
import { profilesWords } from './he/profiles.ts'
import { projectionsWords } from './he/projections.ts'
import { proofsWords } from './he/proofs.ts'
import { sendersWords } from './he/senders.ts'
import { settingsWords } from './he/settings.ts'
import { systemWords } from './he/system.ts'
import { systemWorkspacesWords } from './he/system-workspaces.ts'
import { tagsWords } from './he/tags.ts'
import { templatesWords } from './he/templates.ts'
import { verifyWords } from './he/verify.ts'
import { webhooksWords } from './he/webhooks.ts'

export const he: Words = {
  direction: 'rtl',
  locale: 'he',
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
