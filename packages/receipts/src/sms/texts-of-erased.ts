import { asDialled } from '@tidings/addresses'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import { type FindingAddressee, findAddressee } from './find-addressee.ts'
import type { TakenSms } from './inbound.ts'
import { askingNumber } from './take-inbound.ts'

type Erased = Readonly<{ workspaceId: WorkspaceId; contactId: ContactId; addresses: readonly string[] }>

/**
 * Texts that wait and that an erased person sent to the workspace that erases him, or that no workspace takes. One that another workspace takes, or
 * another contact of the same one, is theirs: it may be a STOP. For after the read side has shown the request, which takes the messages to the person off it.
 */
export async function textsOfErased(
  {
    kept,
    finding,
  }: Readonly<{
    kept: Readonly<{ which: (numbers: readonly string[], isOurs: (sms: TakenSms) => Promise<boolean>) => Promise<readonly string[]> }>
    finding: FindingAddressee
  }>,
  { workspaceId, contactId, addresses }: Erased,
): Promise<readonly string[]> {
  const isOurs = async (sms: TakenSms): Promise<boolean> => {
    const asking = askingNumber(sms)
    if (!('number' in asking)) return true
    const addressee = await findAddressee(finding, asking.number, sms.to)
    return addressee === null || (addressee.workspaceId === workspaceId && addressee.contactId === contactId)
  }
  // A gateway may have written the number without its country.
  const numbers = addresses.flatMap((address) => (address.startsWith('+') ? [address, asDialled(address)] : [address]))
  return numbers.length === 0 ? [] : await kept.which(numbers, isOurs)
}

/** One that another process has decided meanwhile is gone. */
export async function deleteTexts(kept: Readonly<{ done: (seq: string) => Promise<void> }>, texts: readonly string[]): Promise<number> {
  for (const seq of texts) await kept.done(seq)
  return texts.length
}
