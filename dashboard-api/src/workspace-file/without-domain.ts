import { emailKey } from '@tidings/addresses'
import { senderDomainNamed } from '@tidings/administration'
import { type SenderAddress, type WorkspaceId, type WorkspaceState, workspace, workspaceStream } from '@tidings/domain'
import type { PlannedCommand, Provisioner } from '@tidings/provisioning'
import type { WorkspaceFile } from '@tidings/provisioning/workspace-file'

type PlannedAddresses = Readonly<{ workspaceId: WorkspaceId; file: WorkspaceFile; planned: readonly PlannedCommand[] }>

/**
 * Why an address cannot be added: its domain is no sender domain of the workspace, with the file neither (M14). Null where there is none. What the workspace has
 * already, stays: an operator's file may say so. `to` loads what it would be.
 */
export async function withoutDomain(
  to: Pick<Provisioner, 'load'>,
  { workspaceId, file: { senderAddresses = [] }, planned }: PlannedAddresses,
): Promise<string | null> {
  const after = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const email = planned.flatMap(newAddresses).find((one) => senderDomainNamed(after, one.slice(one.lastIndexOf('@') + 1)) === undefined)
  if (email === undefined) return null
  const n = senderAddresses.findIndex((address) => emailKey(address.email) === emailKey(email))
  return `senderAddresses[${n}].email: the domain of ${email} is no sender domain of the workspace: add it first`
}

/** The cast holds: these events are of the stream of a workspace. */
const newAddresses = ({ before, events }: PlannedCommand): readonly string[] =>
  events.flatMap(({ type, data }) => {
    if (type !== 'SenderAddressConfigured') return []
    const { addressId, email } = data as SenderAddress
    return Object.hasOwn((before as WorkspaceState).senderAddresses, addressId) ? [] : [email]
  })
