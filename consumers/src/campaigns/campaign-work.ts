import type { ContentStore, EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import type { ContactReader } from '@tidings/directory'
import type { CampaignId, EmailContent, WorkspaceId } from '@tidings/domain'
import type { Links } from '@tidings/mail-content'
import type { FirstHeads, ReadSide } from '@tidings/projections'
import type { Pool } from 'pg'
import type { CampaignNow } from '../views/campaign-view.ts'
import type { WorkspaceView } from '../views/workspace-view.ts'

/**
 * What sending campaigns depends on. `recipients`: the cache of contacts that the sending of a message reads too. `reads`: the read models that audiences
 * are taken from. `now`: ms since 1970. `pageOf`: how many recipients one page begins, by default some 200 ms of work; the next campaign waits as long.
 */
export type CampaignWork = Readonly<{
  log: EventLog
  pool: Pool
  commands: CommandRunner
  content: ContentStore<EmailContent>
  links: Pick<Links, 'unsubscribeUrl'>
  reads: Pick<ReadSide, 'wait'>
  heads: FirstHeads
  recipients: ContactReader
  campaigns: Readonly<{ find: (workspaceId: WorkspaceId, campaignId: CampaignId) => CampaignNow | Promise<CampaignNow> }>
  workspaces: Pick<WorkspaceView, 'status' | 'senderStatus'>
  senderIds: Readonly<{ isApproved: (workspaceId: WorkspaceId, name: string) => boolean | Promise<boolean> }>
  now: () => number
  pageOf?: number
}>
