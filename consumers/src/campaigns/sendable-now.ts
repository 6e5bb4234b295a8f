import type { EventLog } from '@tidings/codec'
import type { CommandRunner } from '@tidings/commands'
import { type CampaignPlan, type TemplateContent, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import type { Position } from '@tidings/event-store'
import type { WorkspaceView } from '../views/workspace-view.ts'
import { fixedTemplate } from './fixed-texts.ts'

/** The sender as it is now, and the template of each variant as it was when the texts were fixed. */
export type Sendable = Readonly<{ from: string; templates: readonly TemplateContent[] }>

/** What is asked of the workspace. */
export type AskingSendable = Readonly<{
  log: EventLog
  commands: CommandRunner
  workspaces: Pick<WorkspaceView, 'status' | 'senderStatus'>
  senderIds: Readonly<{ isApproved: (workspaceId: WorkspaceId, name: string) => boolean | Promise<boolean> }>
}>

/** `textsAt`: null where they are those of now. */
type OfCampaign = Readonly<{ workspaceId: WorkspaceId; textsAt: Position | null }>

/** What keeps a campaign from being sent before its first message is made. */
export type NotSendable = 'no_valid_sender' | 'template_gone'

/** What the campaign is sent with, or why it cannot be (N175); `suspended` while its workspace is. */
export async function sendableNow(
  work: AskingSendable,
  { workspaceId, textsAt }: OfCampaign,
  plan: CampaignPlan,
): Promise<Sendable | NotSendable | 'suspended'> {
  const status = await work.workspaces.status(workspaceId)
  if (status !== 'active') return status === 'suspended' ? 'suspended' : 'no_valid_sender'
  const from = await senderOf(work, workspaceId, plan)
  if (from === null) return 'no_valid_sender'
  const templates = await Promise.all(
    plan.variants.map(({ templateId }) => fixedTemplate(work.log, { workspaceId, templateId, fixedAt: textsAt })),
  )
  const known = templates.filter((template) => template !== null)
  return known.length === templates.length && known.length > 0 ? { from, templates: known } : 'template_gone'
}

/** A verified address, or an approved sender ID. */
const senderOf = async (
  work: AskingSendable,
  workspaceId: WorkspaceId,
  { senderAddressId, senderId }: CampaignPlan,
): Promise<string | null> => {
  if (senderId !== null) return (await work.senderIds.isApproved(workspaceId, senderId)) ? senderId : null
  if (senderAddressId === null) return null
  const { state } = await work.commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const email = Object.values(state.senderAddresses).find(({ addressId }) => addressId === senderAddressId)?.email
  return email !== undefined && (await work.workspaces.senderStatus(workspaceId, email)) === 'verified' ? email : null
}
