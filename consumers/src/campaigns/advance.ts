import { handledUpTo } from '@tidings/bus'
import { type CampaignFailure, LATE_MS } from '@tidings/domain'
import { senderNameOf } from '../marketing/template-now.ts'
import { audienceWhenShown } from './audience-when-shown.ts'
import { beginPage } from './begin-page.ts'
import type { CampaignWork } from './campaign-work.ts'
import { countOutcomes } from './count-outcomes.ts'
import { type ReadCampaign, readCampaign, record } from './read-campaign.ts'
import { forgetRecipients, NO_CONTACT, recipientsAfter, resolve } from './recipient-table.ts'
import { lanesOf, roomInLanes } from './room-in-lanes.ts'
import { type CampaignRun, type CampaignRunUpdate, countedNow, type OwnedRun, type Refusing } from './run-table.ts'
import { type Sendable, sendableNow } from './sendable-now.ts'

const PAGE = 500
const FORGET = 10_000
/** No announcement ends these waits, so they poll: room in the lanes, a suspended workspace, the last outcomes. */
const WAIT_MS = { lanes: 250, suspended: 5_000, outcomes: 5_000 } as const
/** Room for a page is looked for when a fast provider has made it: messages in a millisecond. */
const FREED_IN_A_MS = 2
const SHORTEST_WAIT_MS = 20
/**
 * If the provider accepts none of this many first messages, it gets one at a time. If it also refuses so many of these for so long, the
 * campaign fails (N175). So a relay that is wrong for a minute costs the messages that were begun, and no campaign. Time without a try
 * (the service is stopped, the workspace suspended, its lanes full) costs neither.
 */
const REFUSED = 50
const REFUSED_TRIES = 10
const REFUSING_MS = 600_000
const TRY_AGAIN_MS = 60_000

/**
 * Takes the next step of a campaign, and returns when the step after it is due; `over` if there is none. The log says which steps were
 * taken: a process that is killed here leaves nothing that the next one cannot repeat.
 *
 * - _scheduled_: begins when its time has come.
 * - _sending_: takes the audience, then begins the messages of one page of it, then waits for the last outcome.
 * - _paused_: its audience is taken, if it was not yet; no recipient is begun.
 * - _draft_, _sent_, _cancelled_, _failed_: the rest of its audience is deleted.
 */
export async function advance(work: CampaignWork, owned: OwnedRun, signal: AbortSignal): Promise<CampaignRunUpdate | 'over'> {
  const { run } = owned
  const known = await readCampaign(work, run)
  const { campaignId } = run
  const now = work.now()
  switch (known?.state.status) {
    case 'scheduled': {
      const dueAt = Date.parse(known.state.scheduleAt ?? '')
      if (dueAt > now) return { dueAt }
      // Its lateness is judged when it can begin, which is at the resume.
      if ((await work.workspaces.status(run.workspaceId)) === 'suspended') return { dueAt: now + WAIT_MS.suspended, refusing: null }
      await record(work, run, { type: 'BeginScheduled', data: { campaignId, now: new Date(now).toISOString() } })
      return { dueAt: now }
    }
    case 'paused':
      return run.recipients === null && known.started !== null
        ? await audienceWhenShown(work, owned, known)
        : { dueAt: null, refusing: null, suspendedSince: null }
    case 'sending':
      return run.recipients === null
        ? await audienceWhenShown(work, owned, known)
        : { suspendedSince: null, ...(await goOn(work, { run, known, recipients: run.recipients }, signal)) }
    default:
      return (await forgetRecipients(work.pool, run, FORGET)) === FORGET ? { dueAt: now } : 'over'
  }
}

/**
 * Null if the workspace is not suspended, and was not for so long that the campaign is paused instead of continuing at the resume (N175). That is decided
 * while the workspace is suspended, so that messages that wait in their lanes find the campaign paused.
 */
const whileSuspended = async (work: CampaignWork, run: CampaignRun): Promise<CampaignRunUpdate | null> => {
  const now = work.now()
  const isSuspended = (await work.workspaces.status(run.workspaceId)) === 'suspended'
  const suspendedSince = run.suspendedSince ?? (isSuspended ? now : null)
  if (suspendedSince !== null && now - suspendedSince > LATE_MS) {
    await record(work, { ...run, occasion: suspendedSince }, { type: 'PauseLate', data: { campaignId: run.campaignId } })
    return { dueAt: now, suspendedSince: null }
  }
  return isSuspended ? { dueAt: now + WAIT_MS.suspended, refusing: null, suspendedSince } : null
}

type Going = Readonly<{ run: CampaignRun; known: ReadCampaign; recipients: number }>

const goOn = async (work: CampaignWork, going: Going, signal: AbortSignal): Promise<CampaignRunUpdate> => {
  const { run, known, recipients } = going
  const { campaignId } = run
  if (known.state.recipients === null) await record(work, run, { type: 'RecordAudience', data: { campaignId, recipients } })
  // If the log has an audience, a restore lost its row: the contacts that are left were mailed before or have gone since.
  if (recipients === 0 && !known.state.recipients) return await fail(work, run, 'no_audience')
  const waiting = await whileSuspended(work, run)
  if (waiting !== null) return waiting
  const refusing = refusingNow(run, work.now())
  if (refusing !== null && isForGood(refusing, work.now())) return await fail(work, run, 'provider_refused')
  const [next] = await recipientsAfter(work.pool, run, { after: run.after, limit: 1 })
  if (next === undefined) return await finish(work, run)
  const sendable =
    known.started === null ? 'template_gone' : await sendableNow(work, { ...run, textsAt: known.textsAt }, known.started.data)
  if (sendable === 'suspended') return { dueAt: work.now() + WAIT_MS.suspended, refusing: null }
  if (typeof sendable === 'string') return await fail(work, run, sendable)
  const paging = { ...going, sendable }
  if (refusing === null) return { refusing, ...(await page(work, paging, signal)) }
  return { refusing, ...(await page({ ...work, pageOf: 1 }, paging, signal)), dueAt: work.now() + TRY_AGAIN_MS }
}

/** Null where the provider took a message, or refused few. */
const refusingNow = ({ accepted, refused, refusing }: CampaignRun, now: number): Refusing | null => {
  if (accepted || refused < REFUSED) return null
  if (refusing === null) return { since: now, tries: 0, seen: refused }
  return refused > refusing.seen ? { ...refusing, tries: refusing.tries + 1, seen: refused } : refusing
}

const isForGood = ({ since, tries }: Refusing, now: number): boolean => tries >= REFUSED_TRIES && now - since >= REFUSING_MS

const page = async (
  work: CampaignWork,
  { run, known: { state, started }, sendable }: Going & Readonly<{ sendable: Sendable }>,
  signal: AbortSignal,
): Promise<CampaignRunUpdate> => {
  const { workspaceId, campaignId, after } = run
  const limit = work.pageOf ?? PAGE
  const lane = lanesOf(state.channel)
  const handled = await handledUpTo(work.pool, lane.group)
  const room = await roomInLanes(work.pool, { ...lane, workspaceId, handled })
  if (room < limit || started === null) return { dueAt: work.now() + untilRoomMs(limit - room), refusing: null }
  const contactIds = await recipientsAfter(work.pool, run, { after, limit })
  const recipients = contactIds.map((contactId) => ({ workspaceId, campaignId, contactId }))
  let name: Promise<string | null> | undefined
  const senderName = (): Promise<string | null> => (name ??= senderNameOf(work.commands, workspaceId, sendable.from))
  const { resolved, accepted, complete, begun } = await beginPage(
    work,
    { ...sendable, started, channel: state.channel, senderName },
    { recipients, signal },
  )
  // First, so that a planner that sees no recipient without an outcome sees it: the consumer may hear of it later.
  if (accepted) await countOutcomes(work.pool, [{ campaignId, accepted, refused: 0 }])
  await resolve(work.pool, resolved)
  const last = contactIds.at(-1)
  const ahead = (run.begun > handled ? run.ahead : 0) + begun.length
  const upTo = { begun: begun.reduce(later, run.begun), ahead, group: lane.group }
  return { dueAt: work.now(), upTo, ...(complete && last !== undefined && { after: last }) }
}

const untilRoomMs = (missing: number): number => Math.min(WAIT_MS.lanes, Math.max(SHORTEST_WAIT_MS, missing / FREED_IN_A_MS))

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Every recipient was begun: the campaign ends with the last outcome. */
const finish = async (work: CampaignWork, run: CampaignRun): Promise<CampaignRunUpdate> => {
  const [open] = await recipientsAfter(work.pool, run, { after: NO_CONTACT, limit: 1 })
  if (open !== undefined) return { dueAt: work.now() + WAIT_MS.outcomes }
  // The counts in the row are older than the last outcomes.
  const counted = await countedNow(work.pool, run)
  if (counted !== null && counted.refused > 0 && !counted.accepted) return await fail(work, run, 'provider_refused')
  await record(work, run, { type: 'FinishCampaign', data: { campaignId: run.campaignId } })
  return { dueAt: work.now() }
}

const fail = async (work: CampaignWork, run: CampaignRun, reason: CampaignFailure): Promise<CampaignRunUpdate> => {
  await record(work, run, { type: 'FailCampaign', data: { campaignId: run.campaignId, reason } })
  return { dueAt: work.now() }
}
