import { normalizeEmail, normalizePhone } from '@tidings/addresses'
import type { TryFlowBody } from '@tidings/contracts'
import { type Json, mergeCustomProperties, Refused, type WorkspaceId, workspace, workspaceStream } from '@tidings/domain'
import { invalidRequest } from '@tidings/http'
import { readWalkedContact, type WalkedPerson, walkedExample } from '@tidings/provisioning'
import type { DashboardDependencies } from '../dependencies.ts'

type Deps = Pick<DashboardDependencies, 'log' | 'commands' | 'now'>

/** A contact of the workspace as the log has it, or the example. */
export async function triedPerson(
  deps: Deps,
  workspaceId: WorkspaceId,
  { contactId, example }: Pick<TryFlowBody, 'contactId' | 'example'>,
): Promise<WalkedPerson> {
  if (example !== undefined) return await examplePerson(deps, workspaceId, example)
  const known = contactId === undefined ? null : await readWalkedContact(deps.log, { workspaceId, contactId })
  if (known === null) throw new Refused('contact_not_found')
  return known
}

const examplePerson = async (
  { commands, now }: Deps,
  workspaceId: WorkspaceId,
  { email, phone, agrees, customProperties = {}, ...details }: NonNullable<TryFlowBody['example']>,
): Promise<WalkedPerson> => {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  const dialled = phone === undefined ? null : normalizePhone(phone, state.settings.country)
  if (phone !== undefined && dialled === null) throw invalidRequest('example.phone is no phone number')
  return walkedExample({
    details: { ...details, customProperties: mergeCustomProperties({}, customProperties as Readonly<Record<string, Json>>) },
    email: email === undefined ? null : normalizeEmail(email),
    phone: dialled,
    agrees,
    now: Date.parse(now()),
  })
}
