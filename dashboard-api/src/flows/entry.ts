import type { TriedFlow } from '@tidings/contracts'
import {
  bucketOf,
  type ContactId,
  enrolment,
  enrolmentStream,
  type FlowId,
  type FlowTrigger,
  members,
  membersStream,
  UNCONFIRMED_SIGN_UP,
  type WorkspaceId,
} from '@tidings/domain'
import type { WalkedPerson } from '@tidings/provisioning'
import type { DashboardDependencies } from '../dependencies.ts'
import { readRecord } from '../editing/editable.ts'
import { editableFlow } from './flows.ts'

type Entry = TriedFlow['entry']
type Deps = Pick<DashboardDependencies, 'commands'>

/** `flowId`: null of a flow that is not made yet. `contact`: null of an example, who is new everywhere. */
type AskedEntry = Readonly<{
  workspaceId: WorkspaceId
  flowId: FlowId | null
  trigger: FlowTrigger
  contact: Readonly<{ contactId: ContactId; person: WalkedPerson }> | null
}>

/** Whether the flow would let the person in, by the log (D10). Throws `flow_not_found` for a flow that the workspace has not. */
export async function entryOf(deps: Deps, { workspaceId, flowId, trigger, contact }: AskedEntry): Promise<Entry> {
  if (flowId !== null) {
    const { record } = await readRecord(deps, workspaceId, editableFlow({ workspaceId, flowId }))
    if (record.retired) return 'retired'
    if (record.paused) return 'paused'
  }
  if (contact === null) return 'enters'
  const { contactId, person } = contact
  if (flowId !== null && (await isInside(deps, { workspaceId, flowId, contactId }))) return 'inside'
  switch (trigger.type) {
    case 'contact_created':
      return isUnconfirmed(person) ? 'unconfirmed' : 'made_already'
    case 'list_joined':
      return (await isMember(deps, { workspaceId, contactId, listId: trigger.listId })) ? 'member_already' : 'enters'
    case 'custom_event':
      return 'enters'
    default:
      return trigger satisfies never
  }
}

type Inside = Readonly<{ workspaceId: WorkspaceId; flowId: FlowId; contactId: ContactId }>

const isInside = async ({ commands }: Deps, { workspaceId, flowId, contactId }: Inside): Promise<boolean> => {
  const { state } = await commands.load({ decider: enrolment, stream: enrolmentStream(workspaceId, flowId, contactId), workspaceId })
  return state.run !== null
}

type Membership = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; listId: Parameters<typeof membersStream>[1] }>

const isMember = async ({ commands }: Deps, { workspaceId, contactId, listId }: Membership): Promise<boolean> => {
  const stream = membersStream(workspaceId, listId, bucketOf(contactId))
  return (await commands.load({ decider: members, stream, workspaceId })).state.includes(contactId)
}

/** A contact that a sign-up made enters with its first confirmation (M56). */
const isUnconfirmed = ({ events }: WalkedPerson): boolean =>
  events.some((event) => event.type === 'ContactCreated' && event.data.source === UNCONFIRMED_SIGN_UP) &&
  !events.some((event) => event.type === 'ContactConsentRecorded' && event.data.to === 'subscribed')
