import { isToSend } from '@tidings/domain'
import { type DeferredFor, isSendChannel, messageLane, SEND_KINDS } from '@tidings/jobs'
import type { Sources } from '../sources.ts'
import type { KnownMessage } from './known-message.ts'

/**
 * The reason for which a message is not sent yet. `attempts`: those that failed for now; `dueAt`: the next; `deferredFor`: what it waits for, of the campaign or flow
 * `deferredBy`; `reason`: the same and the last error, in words.
 */
export type Waiting = Readonly<{
  attempts: number
  dueAt: string | null
  deferredFor: DeferredFor | null
  deferredBy: string | null
  reason: string | null
  deadLetter: string | null
}>

type WaitingRow = Omit<Waiting, 'dueAt' | 'reason'> & Readonly<{ dueAt: Date | null; error: string | null }>

/** The job of a message that is to be sent, or its dead letter; null where there is none. Nothing of it is personal. */
export async function readWaiting({ pool }: Sources, { workspaceId, accepted, state }: KnownMessage): Promise<Waiting | null> {
  const { contactId, channel } = accepted.data
  if (!isToSend(state) || contactId === null || !isSendChannel(channel)) return null
  const kinds = Object.values(SEND_KINDS[channel])
  const { rows } = await pool.query<WaitingRow>(
    `select attempt as attempts, due_at as "dueAt", coalesce(deferred_for, (
       select 'workspace_suspended' from inbox.suspended_workspace s
       where s.kind = j.kind and s.workspace_id = j.workspace_id and s.suspended_until > clock_timestamp())) as "deferredFor",
       deferred_by as "deferredBy", last_error as error, null as "deadLetter"
     from inbox.job j where kind = any ($1::text[]) and lane = hashtextextended($2, 0) and seq = $3 and workspace_id = $4
     union all
     select 0, due_at, null, null, null, null from inbox.bundle
     where kind = any ($1::text[]) and workspace_id = $4 and hashtextextended($2, 0) = any (lanes) and $3 = any (seqs)
     union all
     select attempts, null, null, null, error, id::text from ops.dead_letter
     where consumer = any ($1::text[]) and reference = hashtextextended($2, 0) || '/' || $3::text and workspace_id = $4 and state = 'open'`,
    [kinds, messageLane(contactId, channel), accepted.position.commit, workspaceId],
  )
  const [row] = rows
  if (row === undefined) return null
  const { error, dueAt, ...waiting } = row
  const said = [waiting.deferredFor === null ? null : SENTENCES[waiting.deferredFor](waiting.deferredBy), error].filter(
    (one) => one !== null,
  )
  return { ...waiting, dueAt: dueAt?.toISOString() ?? null, reason: said.length === 0 ? null : said.join(': ') }
}

const SENTENCES: Readonly<Record<DeferredFor, (id: string | null) => string>> = {
  retry: () => 'temporary failure of the provider',
  fault: () => 'a fault of the service',
  dependency_away: () => 'something that it needs is away',
  shutdown: () => 'given back at a stop',
  taken_over: () => 'taken over, its outcome may be about to be recorded',
  outcome_unrecorded: () => 'stopped before the outcome was recorded',
  answer_missing: () => 'the answer to the message is missing',
  provider_outage: () => 'no provider of its channel can be used',
  own_provider_outage: () => 'the provider that may have taken it cannot be used, and no other gets it',
  workspace_suspended: () => 'the workspace is suspended',
  quiet_hours: () => 'quiet hours',
  campaign_paused: (id) => `the campaign ${id} is paused`,
  flow_paused: (id) => `the flow ${id} is paused`,
  read_side_behind: () => 'the read side is behind',
  address_changed: () => 'its contact has another address by now',
  browsers_changed: () => 'the browsers of its contact have changed',
  no_free_slot: () => 'other pushes take all slots',
  wallet_busy: () => 'the wallet has as many open holds as it may',
  mailbox_capped: () => 'its mailbox was asked often enough today',
  due_time: () => 'its time has not come',
  next_pass: () => 'another pass',
}
