import { emailKey } from '@tidings/addresses'
import type { ConfigureCampaignBody } from '@tidings/contracts'
import {
  type CampaignChannel,
  type CampaignSettings,
  type ListId,
  list,
  listStream,
  Refused,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  type TemplateId,
  tags,
  tagsStream,
  template,
  templateStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import type { DashboardDependencies } from '../dependencies.ts'

type Commands = Pick<DashboardDependencies, 'commands'>
/** `shownVariants`: the number of a campaign that splits nothing, which a file may set (M37). */
type WantedCampaign = Readonly<{ workspaceId: WorkspaceId; channel: CampaignChannel; shownVariants?: number }>

/** What a campaign can be refused for that names what the workspace does not have. */
export const SETTING_REFUSALS = [
  'list_not_found',
  'template_not_found',
  'template_channel_mismatch',
  'sender_inbox_not_verified',
  'sender_id_not_approved',
] as const

/** The settings that a body asks for. Whatever it names is one of the workspace, by the log; a draft may name what cannot be sent yet. */
export async function settingsOf(
  deps: Commands,
  wanted: WantedCampaign,
  { listId, templateId, variants, from, quietHours, tagIds, archived }: ConfigureCampaignBody,
): Promise<Required<CampaignSettings>> {
  if (listId !== null) await assertList(deps, wanted, listId)
  const templateIds = templateId === null ? variants.map((variant) => variant.templateId) : [templateId]
  await Promise.all([...new Set(templateIds)].map((id) => assertTemplate(deps, wanted, id)))
  if (tagIds.length > 0) await assertTags(deps, wanted, tagIds)
  const sender = from === null || from.trim() === '' ? { senderAddressId: null, senderId: null } : await senderOf(deps, wanted, from.trim())
  const shown = variants.length > 0 ? variants.length : (wanted.shownVariants ?? 1)
  return { listId, templateId, split: variants, variants: shown, ...sender, quietHours, tagIds: [...new Set(tagIds)], archived }
}

const assertList = async ({ commands }: Commands, { workspaceId }: WantedCampaign, listId: ListId): Promise<void> => {
  const { state } = await commands.load({ decider: list, stream: listStream(workspaceId, listId), workspaceId })
  if (state === null) throw new Refused('list_not_found')
}

const assertTemplate = async ({ commands }: Commands, { workspaceId, channel }: WantedCampaign, id: TemplateId): Promise<void> => {
  const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, id), workspaceId })
  if (!state.exists) throw new Refused('template_not_found')
  if (state.channel !== channel) throw new Refused('template_channel_mismatch')
}

const assertTags = async ({ commands }: Commands, { workspaceId }: WantedCampaign, wanted: readonly string[]): Promise<void> => {
  const { state } = await commands.load({ decider: tags, stream: tagsStream(workspaceId), workspaceId })
  const known = new Set(state.map(({ tagId }) => tagId))
  if (!wanted.every((id) => known.has(id))) throw invalidRequest('tagIds must be tags of the workspace')
}

const senderOf = async (
  { commands }: Commands,
  { workspaceId, channel }: WantedCampaign,
  from: string,
): Promise<Pick<CampaignSettings, 'senderAddressId' | 'senderId'>> => {
  if (channel === 'sms') {
    const { state } = await commands.load({ decider: senderIds, stream: senderIdsStream(workspaceId), workspaceId })
    const known = senderIdNamed(state, from)
    if (known === undefined) throw new Refused('sender_id_not_approved')
    return { senderAddressId: null, senderId: known.senderId }
  }
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const key = emailKey(from)
  const known = Object.values(state.senderAddresses).find(({ email }) => emailKey(email) === key)
  if (known === undefined) throw new Refused('sender_inbox_not_verified')
  return { senderAddressId: known.addressId, senderId: null }
}
