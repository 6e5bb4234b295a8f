import { OperationFailed } from '@tidings/config'
import { asContactId, type ContactId, type WorkspaceId } from '@tidings/domain'
import { existingWorkspace } from './existing-workspace.ts'
import { isUuid } from './is-uuid.ts'
import type { Operator } from './with-operator.ts'

export type OfContact = Readonly<{ workspace: string; id: string }>

/** The ids that the options name; throws one sentence where there is no such workspace, or the id is none. */
export async function namedContact(
  operator: Operator,
  { workspace, id }: OfContact,
): Promise<Readonly<{ workspaceId: WorkspaceId; contactId: ContactId }>> {
  const { id: workspaceId } = await existingWorkspace(operator, workspace)
  return { workspaceId, contactId: contactIdIn({ workspace, id }) }
}

/** The id as it is stored; null where the text can be that of no contact. */
export function contactIdOf(text: string): ContactId | null {
  const id = text.toLowerCase()
  return isUuid(id) ? asContactId(id) : null
}

/** The same; throws one sentence instead. */
export function contactIdIn({ workspace, id }: OfContact): ContactId {
  const contactId = contactIdOf(id)
  if (contactId === null) throw noContact({ workspace, id })
  return contactId
}

export function noContact({ workspace, id }: OfContact): OperationFailed {
  return new OperationFailed(`Workspace ${workspace} has no contact ${id}.`)
}
