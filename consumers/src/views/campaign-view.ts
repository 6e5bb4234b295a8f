import type { StreamReader } from '@tidings/codec'
import {
  type CampaignEvent,
  type CampaignId,
  type CampaignState,
  type CampaignStatus,
  campaignDeclarations,
  campaignStream,
  evolveCampaign,
  type WorkspaceId,
} from '@tidings/domain'
import { createFollowedStates, type LogView } from '@tidings/log-views'

/** What a message of a campaign is judged by. `skipsQuietHours`: it does not wait for their end (M34). */
export type CampaignNow = Readonly<{ status: CampaignStatus | null; skipsQuietHours: boolean }>

export type CampaignView = LogView &
  Readonly<{ find: (workspaceId: WorkspaceId, campaignId: CampaignId) => CampaignNow | Promise<CampaignNow> }>

type Entry = Readonly<{ state: CampaignState; now: CampaignNow }>

const UNKNOWN: Entry = { state: null, now: { status: null, skipsQuietHours: false } }
/** A campaign takes about 1 KB. */
const MAX_CAMPAIGNS = 2_000

/** Campaigns as of now, from the log itself: what an operator paused or cancelled is known in every process that follows it. */
export function createCampaignView(log: StreamReader): CampaignView {
  const types = Object.keys(campaignDeclarations) as CampaignEvent['type'][]
  const states = createFollowedStates<CampaignEvent, Entry>({ log, types, initial: UNKNOWN, evolve, max: MAX_CAMPAIGNS })
  return {
    ...states,
    find: (workspaceId, campaignId) => {
      const known = states.get(workspaceId, campaignStream(workspaceId, campaignId))
      return known instanceof Promise ? known.then(({ now }) => now) : known.now
    },
  }
}

function evolve(entry: Entry, event: CampaignEvent): Entry {
  const state = evolveCampaign(entry.state, event)
  return { state, now: { status: state?.status ?? null, skipsQuietHours: state?.started?.quietHours === 'skip' } }
}
