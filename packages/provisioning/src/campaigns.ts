import { inOrder } from '@tidings/async'
import { recordIdOf } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { type CampaignChannel, type ConfigureCampaign, campaign, campaignStream, type TemplateId, type WorkspaceId } from '@tidings/domain'
import { type CampaignReferences, campaignReferences } from './campaign-references.ts'
import { type Applying, AT_ONCE, type Step } from './steps.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

type CampaignOfFile = NonNullable<WorkspaceFile['campaigns']>[number]

const known = <T>(found: T | undefined, path: string, what: string): T => {
  if (found === undefined) throw new OperationFailed(`${path}: there is no ${what}, neither in the file nor in the workspace`)
  return found
}

type Naming = Readonly<{ path: string; to: CampaignReferences }>

const templateIdOf = async (name: string, channel: CampaignChannel, { path, to }: Naming): Promise<TemplateId> => {
  const found = known(await to.template(name), `${path}.template`, `template "${name}"`)
  if (found.channel !== channel)
    throw new OperationFailed(`${path}.template: "${name}" is for ${found.channel}, the campaign for ${channel}`)
  return found.id
}

/** One template for all, or several that split the audience; a plain number of variants splits nothing (M37). */
const templatesOf = async ({ template, variants = 1, channel }: CampaignOfFile, { path, to }: Naming) => {
  if (typeof variants === 'number')
    return { templateId: template === undefined ? null : await templateIdOf(template, channel, { path, to }), split: [], variants }
  const split = await inOrder(variants, 1, async ({ template: name, weight }, i) => ({
    templateId: await templateIdOf(name, channel, { path: `${path}.variants[${i}]`, to }),
    weight,
  }))
  return { templateId: null, split, variants: split.length }
}

const senderOf = ({ from, channel }: CampaignOfFile, path: string, to: CampaignReferences) => ({
  senderAddressId:
    from === undefined || channel !== 'email' ? null : known(to.senderAddress(from), `${path}.from`, `sender address "${from}"`),
  senderId: from === undefined || channel !== 'sms' ? null : known(to.senderId(from), `${path}.from`, `SMS sender ID "${from}"`),
})

const commandOf = async (workspaceId: WorkspaceId, wanted: CampaignOfFile, { path, to }: Naming): Promise<ConfigureCampaign> => {
  const { name, channel, status = 'draft', tags = [], list, archived = false, quietHours = 'wait' } = wanted
  return {
    type: 'ConfigureCampaign',
    data: {
      campaignId: recordIdOf(workspaceId, 'campaign', name),
      name,
      channel,
      status,
      tagIds: tags.map((tag, i) => known(to.tag(tag), `${path}.tags[${i}]`, `tag "${tag}"`)),
      listId: list === undefined ? null : known(await to.list(list), `${path}.list`, `list "${list}"`),
      ...(await templatesOf(wanted, { path, to })),
      ...senderOf(wanted, path, to),
      archived,
      quietHours,
    },
  }
}

/** Resolves the names of campaigns to ids before anything is written. Throws one sentence for a name that leads nowhere, and for another channel. */
export async function campaignCommands(applying: Applying): Promise<readonly ConfigureCampaign[]> {
  const { to, workspaceId, file } = applying
  const { campaigns = [] } = file
  if (campaigns.length === 0) return []
  const references = await campaignReferences(applying)
  return await inOrder(campaigns, AT_ONCE, async (wanted, i) => {
    const path = `campaigns[${i}]`
    const command = await commandOf(workspaceId, wanted, { path, to: references })
    const there = await to.load(workspaceId, campaign, campaignStream(workspaceId, command.data.campaignId))
    if (there !== null && there.channel !== wanted.channel)
      throw new OperationFailed(`${path}.channel: "${wanted.name}" is an ${there.channel} campaign, use another name for ${wanted.channel}`)
    applying.onRecord()
    return command
  })
}

export function campaignSteps({ to, workspaceId }: Applying, commands: readonly ConfigureCampaign[]): readonly Step[] {
  return commands.map((command) => ({
    what: command.data.name,
    run: () => to.execute(workspaceId, campaign, campaignStream(workspaceId, command.data.campaignId), command),
  }))
}
