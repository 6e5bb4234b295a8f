import type { Recorded } from '@tidings/codec'
import {
  bucketOf,
  type CampaignEvent,
  type CampaignStarted,
  campaignStream,
  type ListEvent,
  listStream,
  type MembersEvent,
  membersStream,
} from '@tidings/domain'
import { type Fact, factOf } from '../fact.ts'
import { readAll, type Sources } from '../sources.ts'
import { eventsUntil } from './facts-at-moments.ts'
import type { KnownMessage } from './known-message.ts'

/** The campaign that the message is of: its start, what it did until the message was sent, and why the contact was in its audience. */
export async function campaignFacts(sources: Sources, known: KnownMessage): Promise<readonly Fact[]> {
  const { workspaceId, accepted, moments } = known
  const campaign = 'campaign' in accepted.data ? accepted.data.campaign : undefined
  if (campaign === undefined) return []
  const events = await readAll<CampaignEvent>(sources, workspaceId, campaignStream(workspaceId, campaign.campaignId))
  const [created] = events
  const name = created?.type === 'CampaignCreated' ? `"${created.data.name}" ` : ''
  const moves = eventsUntil(events, moments[1].until).filter(({ type }) => type !== 'CampaignCreated' && type !== 'CampaignChanged')
  const started = moves.find((event) => event.type === 'CampaignStarted')
  return [
    ...moves.map((event) => factOf(event, `campaign ${name}${campaign.campaignId}: ${saysOf(event, campaign.variant)}`)),
    ...(started === undefined ? [] : await memberFacts(sources, known, started)),
  ]
}

const saysOf = (event: Recorded<CampaignEvent>, variant: number): string => {
  switch (event.type) {
    case 'CampaignStarted':
      return `started; this is variant ${variant + 1} of ${event.data.variants.length}`
    case 'CampaignAudienceTaken':
      return `its audience was taken, ${event.data.recipients} contacts`
    case 'CampaignPaused':
      return `paused (${event.data.reason})`
    default:
      return event.type.replace('Campaign', '').toLowerCase()
  }
}

/** The last move in or out of the list before the start. */
const memberFacts = async (
  sources: Sources,
  { workspaceId, accepted }: KnownMessage,
  { data: { listId }, position }: Recorded<CampaignStarted>,
): Promise<readonly Fact[]> => {
  const { contactId } = accepted.data
  if (listId === null || contactId === null) return []
  const [list] = await readAll<ListEvent>(sources, workspaceId, listStream(workspaceId, listId))
  const name = list?.type === 'ListCreated' ? `"${list.data.name}" ` : ''
  const moves = await readAll<MembersEvent>(sources, workspaceId, membersStream(workspaceId, listId, bucketOf(contactId)))
  const last = eventsUntil(moves, position).findLast(({ data }) => data.contactId === contactId)
  if (last === undefined) return []
  const move = last.type === 'ContactAddedToList' ? 'a member of' : 'removed from'
  return [factOf(last, `at the start of the campaign: ${move} list ${name}${listId}, by ${last.data.reason}`)]
}
