import { normalizePhone } from '@tidings/addresses'
import { type ContactName, parseContactName } from '@tidings/administration'
import { OperationFailed } from '@tidings/config'
import type { ContactId, WorkspaceId } from '@tidings/domain'
import { contactHolding } from '@tidings/service/operations'
import { WrongUsage } from '../terminal/answer.ts'
import { existingWorkspace } from './existing-workspace.ts'
import type { Operator } from './with-operator.ts'

/** `id`: a UUID, an email or a phone (M65). */
export type OfContact = Readonly<{ workspace: string; id: string }>

/**
 * The contact that the options name; throws one sentence where there is no such workspace, or no contact has the address now. A contact that is named by
 * its id may still be none: what the command reads says so.
 */
export async function namedContact(
  operator: Operator,
  { workspace, id }: OfContact,
): Promise<Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>> {
  const named = contactName(id)
  const { id: workspaceId, state } = await existingWorkspace(operator, workspace)
  if (named.kind === 'id') return { workspaceId, contactId: named.value }
  const value = named.kind === 'email' ? named.value : normalizePhone(named.value, state.settings.country)
  if (value === null)
    throw new WrongUsage(`${id} is no phone of the country of workspace ${workspace}: write it with + and its calling code.`)
  const contactId = await contactHolding(operator.stores, { workspaceId, kind: named.kind, value })
  if (contactId === null) {
    const said = `Workspace ${workspace} has no contact ${id}`
    throw new OperationFailed(`${said} today: a person who has another ${named.kind} by now is named by it, or by the id.`)
  }
  return { workspaceId, contactId }
}

/** Throws where the text can be no contact of any workspace; then nothing needs to be opened. */
export function contactName(text: string): ContactName {
  const name = parseContactName(text)
  if (name === null) throw new WrongUsage(`${text} names no contact: it is neither a UUID nor an email nor a phone.`)
  return name
}

export function noContact({ workspace, id }: OfContact): OperationFailed {
  return new OperationFailed(`Workspace ${workspace} has no contact ${id}.`)
}
