import {
  connectors,
  connectorsStream,
  MAX_CONNECTORS,
  MAX_CUSTOM_EVENTS,
  MAX_CUSTOM_FIELDS,
  senderIds,
  senderIdsStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { PlannedCommand, Provisioner } from '@tidings/provisioning'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { MAX_FORMS } from '../forms/forms.ts'
import { MAX_SENDERS, openSenderIds } from '../senders/add-sender.ts'

type PlannedFile = Readonly<{ workspaceId: WorkspaceId; to: Pick<Provisioner, 'load'>; planned: readonly PlannedCommand[] }>
type Counted = Readonly<{ section: string; most: number; had: number; has: number }>
type Sources = Pick<DashboardDependencies, 'commands' | 'db'>

/** Which records a workspace would have more of than pages let people make; null where it has not. More than that may be there: an operator's file has no limit. */
export async function overLimit(deps: Sources, file: PlannedFile): Promise<string | null> {
  const counted = [...(await inStreams(deps, file)), ...(await withStreams(deps, file))]
  const over = counted.find(({ most, had, has }) => has > most && has > had)
  return over === undefined ? null : `${over.section}: a workspace has at most ${over.most}, and with the file it would have ${over.has}`
}

/** Records that share a stream. `to` loads what it would be. */
const inStreams = async ({ commands }: Sources, { workspaceId, to }: PlannedFile): Promise<readonly Counted[]> => {
  const now = async (load: Provisioner['load']): Promise<readonly number[]> => {
    const { senderDomains, senderAddresses, forms } = await load(workspaceId, workspace, workspaceStream(workspaceId))
    const bySection = [senderDomains, senderAddresses, forms].map((all) => Object.keys(all).length)
    const sms = openSenderIds(await load(workspaceId, senderIds, senderIdsStream(workspaceId)))
    return [...bySection, sms, (await load(workspaceId, connectors, connectorsStream(workspaceId))).length]
  }
  const had = await now(async (id, decider, stream) => (await commands.load({ workspaceId: id, decider, stream })).state)
  const has = await now(to.load)
  return SHARED.map(({ section, most }, n) => ({ section, most, had: had[n] ?? 0, has: has[n] ?? 0 }))
}

const SHARED = [
  { section: 'senderDomains', most: MAX_SENDERS },
  { section: 'senderAddresses', most: MAX_SENDERS },
  { section: 'forms', most: MAX_FORMS },
  { section: 'smsSenderIds', most: MAX_SENDERS },
  { section: 'connectors', most: MAX_CONNECTORS },
] as const

/** Records with a stream each: those that reads show, and the new ones of the file. */
const withStreams = async ({ db }: Sources, { workspaceId, planned }: PlannedFile): Promise<readonly Counted[]> => {
  const added = (type: string): number =>
    planned.filter(({ before, events }) => before === null && events.some((event) => event.type === type)).length
  const own = forWorkspace(db, workspaceId)
  const [newFields, newEvents] = [added('CustomFieldConfigured'), added('CustomEventDeclared')]
  const fields = newFields === 0 ? 0 : (await own.customFields().select('id').execute()).length
  const events = newEvents === 0 ? 0 : (await own.customEvents().select('id').execute()).length
  return [
    { section: 'customFields', most: MAX_CUSTOM_FIELDS, had: fields, has: fields + newFields },
    { section: 'customEvents', most: MAX_CUSTOM_EVENTS, had: events, has: events + newEvents },
  ]
}
