import { type KnownCampaign, knownCampaign } from '@tidings/administration'
import type { Campaign } from '@tidings/contracts'
import {
  type CampaignId,
  type CampaignSettings,
  type CampaignState,
  campaign,
  campaignStream,
  list,
  listStream,
  planOf,
  Refused,
  type TemplateId,
  template,
  templateStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'
import { namesOfActors } from '../editing/last-change.ts'

type OfCampaign = Readonly<{ workspaceId: WorkspaceId; campaignId: CampaignId }>
type Reading = Pick<DashboardDependencies, 'log' | 'commands' | 'db'>

/** The campaign as of the log. */
export async function existingCampaign({ log }: Pick<Reading, 'log'>, of: OfCampaign): Promise<KnownCampaign> {
  const known = await knownCampaign(log, of)
  if (known === null) throw new Refused('campaign_not_found')
  return known
}

/** A campaign as the dashboard shows it, by the log alone but for the address of who moved it. */
export async function campaignRecord(deps: Reading, known: KnownCampaign): Promise<Campaign> {
  const { workspaceId, campaignId, name, state, events } = known
  const { settings, channel, status, scheduleAt, started } = state
  const { listId, templateId, split, quietHours, tagIds, archived } = settings
  const { commands } = deps
  const listState = listId && (await commands.load({ decider: list, stream: listStream(workspaceId, listId), workspaceId })).state
  const templates = await Promise.all(planOf(settings).variants.map((variant) => namedTemplate(commands, workspaceId, variant.templateId)))
  const last = events.at(-1)
  return {
    ...{ id: campaignId, name, channel, status, reason: last ? reasonOf(last) : null },
    ...{ listId, templateId, variants: [...split], from: await fromOf(commands, workspaceId, settings) },
    ...{ quietHours, tagIds: [...tagIds], archived, listName: listState ? listState.name : null, templates },
    ...{ scheduleAt, startedAt: started?.startedAt ?? null, createdAt: events[0]?.meta.at ?? '' },
    ...{ movedAt: last?.meta.at ?? '', movedBy: last ? await whoIs(deps, workspaceId, last.meta.actor) : '' },
    etag: etagOf(settingsIn(state)),
  }
}

const reasonOf = ({ type, data }: KnownCampaign['events'][number]): Campaign['reason'] =>
  type === 'CampaignPaused' || type === 'CampaignFailed' ? data.reason : null

type Commands = Reading['commands']

const namedTemplate = async (commands: Commands, workspaceId: WorkspaceId, id: TemplateId): Promise<Campaign['templates'][number]> => {
  const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, id), workspaceId })
  return { id, name: state.exists ? state.name : null, archived: state.archived }
}

const fromOf = async (commands: Commands, workspaceId: WorkspaceId, { senderAddressId, senderId }: CampaignSettings) => {
  if (senderAddressId === null) return senderId
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  return Object.values(state.senderAddresses).find(({ addressId }) => addressId === senderAddressId)?.email ?? null
}

/** The address of a user, `operator`, or `campaign` where it moved by itself. */
const whoIs = async ({ db }: Pick<Reading, 'db'>, workspaceId: WorkspaceId, actor: string): Promise<string> =>
  actor.startsWith('campaign:') ? 'campaign' : (await namesOfActors(db, workspaceId, [actor]))(actor)

/** A campaign has a stream of its own. A move changes none of its settings, so it conflicts with no change of them. */
export function editableCampaign({ workspaceId, campaignId }: OfCampaign) {
  return {
    decider: campaign,
    stream: campaignStream(workspaceId, campaignId),
    recordIn: (state: CampaignState) => state && settingsIn(state),
    notFound: 'campaign_not_found',
  } as const
}

const settingsIn = ({ channel, settings }: NonNullable<CampaignState>) => ({ channel, settings })
