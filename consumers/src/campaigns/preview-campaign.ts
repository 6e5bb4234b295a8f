import type { CampaignPreview, OneCopy, PreviewBlock } from '@tidings/administration'
import { databaseNow } from '@tidings/async/clock'
import { type EventLog, uuidv7 } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asMessageId, type MessageCommand } from '@tidings/domain'
import type { Deferral } from '@tidings/jobs'
import { LINK_PATHS } from '@tidings/mail-content'
import type { Pool } from 'pg'
import { foreseeBlock } from '../send/marketing-checks.ts'
import { createRecipientView } from '../views/recipient-view.ts'
import { createWorkspaceView } from '../views/workspace-view.ts'
import { type CampaignCopy, makeCopy } from './make-copy.ts'
import { madeOrFail } from './one-copy.ts'

/** `publicUrl`: where links in mails lead. */
type Previewing = Readonly<{ log: EventLog; pool: Pool; publicUrl: string; now?: () => number }>

/**
 * The message that a contact would get of a campaign, and the reason that would block it now (D12). It writes, counts and sends nothing: the link to unsubscribe leads
 * nowhere.
 */
export async function previewCampaign({ log, pool, publicUrl, now = databaseNow }: Previewing, of: OneCopy): Promise<CampaignPreview> {
  const { workspaceId, contactId, state } = of
  const messageId = asMessageId(uuidv7())
  const unsubscribeUrl = `${publicUrl}${LINK_PATHS.unsubscribe}?t=preview`
  const copy = madeOrFail(await makeCopy({ log, commands: createCommandRunner({ log }) }, { ...of, messageId, unsubscribeUrl }))
  const skipsQuietHours = (state.started ?? state.settings).quietHours === 'skip'
  const recipient = await createRecipientView(log).find(workspaceId, contactId)
  const message = { workspaceId, contactId, messageId, channel: state.channel }
  const block = await foreseeBlock({ pool, workspaces: createWorkspaceView(log), now }, { message, skipsQuietHours, recipient })
  return { message: messageOf(copy), block: block === null ? null : previewBlockOf(block, now()), unsubscribeUrl }
}

const messageOf = (copy: CampaignCopy): CampaignPreview['message'] => {
  const { variant, templateId } = copy
  if ('content' in copy) {
    const { to, fromEmail, fromName } = copy.accept.data
    const { subject, html, text } = copy.content
    return { channel: 'email', variant, templateId, to, from: fromEmail, fromName, subject, html, text }
  }
  const { to, from, body, credits, segments } = copy.accept.data
  return { channel: 'sms', variant, templateId, to, from, body, credits, segments }
}

const previewBlockOf = (block: MessageCommand | Deferral, now: number): PreviewBlock => {
  if (block.type === 'Deferred') return { outcome: 'waits', reason: block.deferredFor, until: new Date(now + block.inMs).toISOString() }
  const reason = 'reason' in block.data ? block.data.reason : ''
  return { outcome: block.type === 'RecordSuppressed' ? 'suppressed' : 'skipped', reason, until: null }
}
