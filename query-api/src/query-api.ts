import type { App } from '@tidings/http'
import { listCampaigns } from './campaigns/list-campaigns.query.ts'
import { listCustomFields } from './custom-fields/list-custom-fields.query.ts'
import type { Dependencies } from './dependencies.ts'
import { listEvents } from './events/list-events.query.ts'
import { listLists } from './lists/list-lists.query.ts'
import { getMessage } from './messages/get-message.query.ts'
import { listMessages } from './messages/list-messages.query.ts'
import { getProfile } from './profiles/get-profile.query.ts'
import { listProfiles } from './profiles/list-profiles.query.ts'
import { lookupProfile } from './profiles/lookup-profile.query.ts'
import { getPublicKey } from './push/get-public-key.query.ts'
import { listSenderAddresses } from './senders/list-sender-addresses.query.ts'
import { listSmsSenderIds } from './sms-sender-ids/list-sms-sender-ids.query.ts'
import { listTags } from './tags/list-tags.query.ts'
import { listMergeFields } from './templates/list-merge-fields.query.ts'
import { listTemplates } from './templates/list-templates.query.ts'
import { listWebhooks } from './webhooks/list-webhooks.query.ts'
import { getMe } from './workspace/get-me.query.ts'

const queries = [
  getMe,
  listProfiles,
  lookupProfile,
  getProfile,
  listMessages,
  getMessage,
  listTemplates,
  listMergeFields,
  listSenderAddresses,
  listSmsSenderIds,
  listCustomFields,
  listEvents,
  listCampaigns,
  listTags,
  listLists,
  listWebhooks,
  getPublicKey,
]

/** Every route that reads, as one plugin; register it under `/api/v1`. Those of a workspace may be read on replicas. */
export function queryApi(deps: Dependencies) {
  return async (app: App): Promise<void> => {
    app.addHook('onRoute', (route) => {
      if (route.config?.access !== 'open') route.config = { onReplicas: 'alone', ...route.config }
    })
    for (const query of queries) query(app, deps)
  }
}
