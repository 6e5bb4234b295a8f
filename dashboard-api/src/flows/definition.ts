import { emailKey } from '@tidings/addresses'
import type { EditFlowBody } from '@tidings/contracts'
import {
  asListId,
  asTemplateId,
  type FlowDefinition,
  list,
  listStream,
  RuleMistake,
  StepMistake,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  template,
  templateStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { type FlowReferences, flowDefinition } from '@tidings/provisioning/workspace-file'
import type { DashboardDependencies } from '../dependencies.ts'

type Commands = Pick<DashboardDependencies, 'commands'>

/** The flow that a body asks for, as a workspace file would store it. What no flow can be is refused with a sentence that names the step. */
export async function definitionOf(deps: Commands, workspaceId: WorkspaceId, { trigger, steps }: EditFlowBody): Promise<FlowDefinition> {
  const { type, list: listId = '', event = '' } = trigger
  const wanted = type === 'contact_created' ? { type } : type === 'list_joined' ? { type, list: listId } : { type, event }
  try {
    return await flowDefinition({ trigger: wanted, steps }, await referencesOf(deps, workspaceId))
  } catch (error) {
    throw error instanceof StepMistake || error instanceof RuleMistake ? invalidRequest(error.message) : error
  }
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** What the workspace has, by the log. Each template is read once, however many steps name it. */
const referencesOf = async ({ commands }: Commands, workspaceId: WorkspaceId): Promise<FlowReferences> => {
  const [{ state: own }, { state: senders }] = await Promise.all([
    commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId }),
    commands.load({ decider: senderIds, stream: senderIdsStream(workspaceId), workspaceId }),
  ])
  const addresses = new Map(Object.values(own.senderAddresses).map(({ email, addressId }) => [emailKey(email), addressId]))
  const templates = new Map<string, ReturnType<FlowReferences['template']>>()
  const readTemplate: FlowReferences['template'] = async (written) => {
    const id = asTemplateId(written)
    const { state } = await commands.load({ decider: template, stream: templateStream(workspaceId, id), workspaceId })
    return state.exists ? { id, channel: state.channel } : undefined
  }
  return {
    where: ' in this workspace',
    list: async (written) => {
      const id = asListId(written)
      const { state } = await commands.load({ decider: list, stream: listStream(workspaceId, id), workspaceId })
      return state === null ? undefined : id
    },
    template: async (written) => {
      const id = written.toLowerCase()
      if (!UUID.test(id)) return undefined
      const read = templates.get(id) ?? readTemplate(id)
      templates.set(id, read)
      return read
    },
    senderAddress: (email) => addresses.get(emailKey(email)),
    senderId: (name) => senderIdNamed(senders, name)?.senderId,
    isApproved: (name) => senderIdNamed(senders, name)?.status === 'approved',
  }
}
