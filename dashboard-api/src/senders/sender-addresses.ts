import { addressRecord } from '@tidings/administration'
import type { SenderAddressStatus } from '@tidings/contracts'
import { ownValue, Refused, type WorkspaceId } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { workspaceState } from './sender-domains.ts'

type NamedAddress = Readonly<{ workspaceId: WorkspaceId; addressId: string }>

/** The address as of the log; refused where the workspace has none of this id. */
export async function shownAddress(
  deps: Pick<DashboardDependencies, 'commands'>,
  { workspaceId, addressId }: NamedAddress,
): Promise<SenderAddressStatus> {
  const known = ownValue((await workspaceState(deps, workspaceId)).senderAddresses, addressId)
  if (known === undefined) throw new Refused('sender_address_not_found')
  return addressRecord(known)
}
