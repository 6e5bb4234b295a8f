import { emailKey } from '@tidings/addresses'
import { recordIdOf } from '@tidings/codec'
import {
  type CampaignChannel,
  list,
  listStream,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  tags,
  tagsStream,
  template,
  templateStream,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { listCommands, senderAddressIds, templateCommands } from './plan.ts'
import type { Applying } from './steps.ts'
import { tagCommands } from './tags.ts'
import type { FlowReferences } from './workspace-file/flow-definition.ts'

/** What the campaigns of a file can name: what is there, and what the file makes. Undefined for what is neither. */
export type CampaignReferences = FlowReferences & Readonly<{ tag: (name: string) => string | undefined }>

const senderAddressesOf = async ({ to, workspaceId, file }: Applying): Promise<ReadonlyMap<string, string>> => {
  const { senderAddresses } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const made = Object.entries(senderAddressIds(workspaceId, file)).map(([email, id]) => [emailKey(email), id] as const)
  return new Map([...Object.values(senderAddresses).map(({ email, addressId }) => [emailKey(email), addressId] as const), ...made])
}

const tagsOf = async ({ to, workspaceId, file }: Applying): Promise<ReadonlyMap<string, string>> => {
  const known = await to.load(workspaceId, tags, tagsStream(workspaceId))
  const made = tagCommands(workspaceId, file).map(({ data }) => data)
  // A tag that is there keeps its id.
  return new Map([...made, ...known].map(({ name, tagId }) => [name, tagId]))
}

export async function campaignReferences(applying: Applying): Promise<CampaignReferences> {
  const { to, workspaceId, file } = applying
  const [tagIds, addresses] = [await tagsOf(applying), await senderAddressesOf(applying)]
  const senders = await to.load(workspaceId, senderIds, senderIdsStream(workspaceId))
  const lists = new Set(listCommands(workspaceId, file).map(({ data }) => data.name))
  const templates = new Map<string, CampaignChannel | 'push'>(
    templateCommands(workspaceId, file).map(({ data }) => [data.name, data.channel]),
  )
  const ofFile = (name: string) => file.smsSenderIds?.find(({ id }) => id.toLowerCase() === name.toLowerCase())
  return {
    where: ', neither in the file nor in the workspace',
    tag: (name) => tagIds.get(name.trim()),
    list: async (name) => {
      const id = recordIdOf(workspaceId, 'list', name)
      return lists.has(name) || (await to.load(workspaceId, list, listStream(workspaceId, id))) !== null ? id : undefined
    },
    template: async (name) => {
      const id = recordIdOf(workspaceId, 'template', name)
      const made = templates.get(name)
      if (made !== undefined) return { id, channel: made }
      const { exists, channel } = await to.load(workspaceId, template, templateStream(workspaceId, id))
      return exists ? { id, channel } : undefined
    },
    senderAddress: (email) => addresses.get(emailKey(email)),
    senderId: (name) => senderIdNamed(senders, name)?.senderId ?? ofFile(name)?.id,
    isApproved: (name) => {
      const wanted = ofFile(name)?.status ?? 'pending'
      return wanted === 'pending' ? senderIdNamed(senders, name)?.status === 'approved' : wanted === 'approved'
    },
  }
}
