import {
  asCampaignId,
  type CampaignCommand,
  type CampaignEvent,
  type CampaignFailure,
  type CampaignId,
  type CampaignMove,
  type CampaignSettings,
  type ContactId,
  campaign,
  campaignStream,
  type ListId,
  type MessageEvent,
  messageStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { createFollower } from '@tidings/log-views'
import { createFirstHeads } from '@tidings/projections'
import type { Pool } from 'pg'
import { campaignMessageId } from '../../src/campaigns/campaign-ids.ts'
import type { CampaignWork } from '../../src/campaigns/campaign-work.ts'
import { startCampaigns } from '../../src/campaigns/start-campaigns.ts'
import { createCampaignView } from '../../src/views/campaign-view.ts'
import { createRecipientView } from '../../src/views/recipient-view.ts'
import { createWorkspaceView } from '../../src/views/workspace-view.ts'
import { recordingLogger } from './recording-logger.ts'
import { type ConsumingOptions, type Rig, WORKSPACE } from './rig.ts'

/** The columns of the read models that audiences are taken from; their projections are tested where they are. */
const READ_MODELS = `create schema if not exists read;
  create table read.list_members (workspace_id uuid, list_id uuid, contact_id uuid, added_at timestamptz, primary key (workspace_id, list_id, contact_id));
  create table read.profiles (workspace_id uuid, id uuid, email text, phone text, email_consent text, sms_consent text, primary key (workspace_id, id))`

type Member = Readonly<{ contactId: ContactId; email?: string | null; phone?: string | null; consent?: string; addedAt?: string }>
type CampaignOptions = Partial<CampaignSettings> & Readonly<{ channel?: 'email' | 'sms' }>

/** The actions and observations of a test of campaigns, in the words of campaigns. */
export function campaignRig({ log, runner }: Rig, pool: Pool) {
  const execute = async (campaignId: CampaignId, command: CampaignCommand): Promise<void> => {
    const commandId = crypto.randomUUID()
    const context = { commandId, workspaceId: WORKSPACE, actor: 'operator', requestId: 'req-1', at: new Date().toISOString() }
    await runner.execute({ decider: campaign, stream: campaignStream(WORKSPACE, campaignId), command, context })
  }
  const events = (campaignId: CampaignId) => log.readStream<CampaignEvent>(WORKSPACE, campaignStream(WORKSPACE, campaignId))
  const messageId = (campaignId: CampaignId, contactId: ContactId) => campaignMessageId({ workspaceId: WORKSPACE, campaignId, contactId })
  return {
    prepare: () => pool.query(READ_MODELS),
    senderAddressId: async (): Promise<string> => {
      const { state } = await runner.load({ decider: workspace, stream: workspaceStream(WORKSPACE), workspaceId: WORKSPACE })
      return Object.values(state.senderAddresses)[0]?.addressId ?? ''
    },
    /** The read side shows them on the list. */
    members: async (listId: ListId, members: readonly Member[]): Promise<void> => {
      for (const { contactId, email = 'ada@example.com', phone = null, consent = 'subscribed', addedAt = '2026-01-01' } of members) {
        await pool.query('insert into read.profiles values ($1, $2, $3, $4, $5, $5) on conflict do nothing', [
          WORKSPACE,
          contactId,
          email,
          phone,
          consent,
        ])
        await pool.query('insert into read.list_members values ($1, $2, $3, $4)', [WORKSPACE, listId, contactId, addedAt])
      }
    },
    leave: (listId: ListId, contactId: ContactId) =>
      pool.query('delete from read.list_members where workspace_id = $1 and list_id = $2 and contact_id = $3', [
        WORKSPACE,
        listId,
        contactId,
      ]),
    campaign: async ({ channel = 'email', ...settings }: CampaignOptions): Promise<CampaignId> => {
      const campaignId = asCampaignId(crypto.randomUUID())
      const none = { tagIds: [], listId: null, templateId: null, senderAddressId: null, senderId: null, archived: false, variants: 1 }
      await execute(campaignId, {
        type: 'ConfigureCampaign',
        data: { campaignId, name: campaignId, channel, status: 'draft', ...none, ...settings },
      })
      return campaignId
    },
    move: (campaignId: CampaignId, move: CampaignMove, now = new Date().toISOString(), at: string | null = null) =>
      execute(campaignId, { type: 'MoveCampaign', data: { campaignId, move, at, now } }),
    resumeWithNewestTexts: (campaignId: CampaignId) =>
      execute(campaignId, {
        type: 'MoveCampaign',
        data: { campaignId, move: 'resume', at: null, now: new Date().toISOString(), texts: 'newest' },
      }),
    fail: (campaignId: CampaignId, reason: CampaignFailure) => execute(campaignId, { type: 'FailCampaign', data: { campaignId, reason } }),
    moves: async (campaignId: CampaignId): Promise<readonly string[]> => (await events(campaignId)).slice(1).map(({ type }) => type),
    last: async (campaignId: CampaignId) => (await events(campaignId)).at(-1),
    messageId,
    /** The events of the message of a contact, as the log has them; empty where there is none. */
    message: (campaignId: CampaignId, contactId: ContactId) =>
      log.readStream<MessageEvent>(WORKSPACE, messageStream(WORKSPACE, messageId(campaignId, contactId))),
  }
}

/** The parts of a process that sends campaigns. */
export function campaignWork(rig: Rig, pool: Pool) {
  return {
    log: rig.log,
    pool,
    commands: rig.runner,
    content: rig.content,
    links: rig.links,
    reads: { wait: async () => 'visible' as const },
    heads: createFirstHeads(() => rig.log.head()),
    campaigns: createCampaignView(rig.log),
    recipients: createRecipientView(rig.log),
    workspaces: createWorkspaceView(rig.log),
  }
}

type Sending = Readonly<{ now?: () => number; provider?: string; reads?: CampaignWork['reads']; options?: ConsumingOptions }>

/** Sends campaigns as a process of the service does. `stop` may be called twice. */
export async function sendCampaigns(rig: Rig, pool: Pool, { now = Date.now, provider = 'outbox', reads, options = {} }: Sending = {}) {
  const faults: unknown[] = []
  const logger = recordingLogger(faults)
  const work = campaignWork(rig, pool)
  const running = startCampaigns({ ...work, ...(reads && { reads }), requestPool: pool, idleMs: 20, now, logger })
  const follower = createFollower({ log: rig.log, views: running.views })
  const { workspaces, campaigns, recipients } = work
  const sending = await rig.consume(provider, { workspaces, campaigns, recipients, now, logger, ...options })
  const stop = async (): Promise<void> => {
    await Promise.all([running.stop(), sending.stop()])
    await follower.close()
  }
  return { stop, faults, progress: running.progress, sending }
}
