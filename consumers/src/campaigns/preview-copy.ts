import type { MessageCommand } from '@tidings/domain'
import type { Again } from '@tidings/inbox'
import type { Pool } from 'pg'
import { foreseeBlock } from '../send/marketing-checks.ts'
import { createRecipientView } from '../views/recipient-view.ts'
import { createWorkspaceView } from '../views/workspace-view.ts'
import { type MakingCopy, makeCopy, type WantedCopy } from './make-copy.ts'

type Previewing = MakingCopy & Readonly<{ pool: Pool; now: () => number }>

/** `hold`: what would keep it back, were it sent now; null where nothing would. */
export type CampaignPreview = Readonly<{ copy: Awaited<ReturnType<typeof makeCopy>>; hold: Hold | null }>

/** `until`: when a message that waits is judged again, ISO. */
type Hold = Readonly<{ outcome: 'suppressed' | 'skipped' | 'waits'; reason: string; until: string | null }>

/** What a contact would get of a campaign, and the gate that would keep it back (D12). Writes, counts and sends nothing. */
export async function previewCopy(previewing: Previewing, wanted: WantedCopy): Promise<CampaignPreview> {
  const { log, pool, now } = previewing
  const { workspaceId, contactId, messageId, state } = wanted
  const copy = await makeCopy(previewing, wanted)
  const skipsQuietHours = (state.started ?? state.settings).quietHours === 'skip'
  const recipient = await createRecipientView(log).find(workspaceId, contactId)
  const message = { workspaceId, contactId, messageId, channel: state.channel }
  const block = await foreseeBlock({ pool, workspaces: createWorkspaceView(log), now }, { message, skipsQuietHours, recipient })
  return { copy, hold: block === null ? null : holdOf(block, now()) }
}

const holdOf = (block: MessageCommand | Again, now: number): Hold => {
  if ('inMs' in block) return { outcome: 'waits', reason: 'quiet_hours', until: new Date(now + block.inMs).toISOString() }
  const reason = 'reason' in block.data ? block.data.reason : ''
  return { outcome: block.type === 'RecordSuppressed' ? 'suppressed' : 'skipped', reason, until: null }
}
