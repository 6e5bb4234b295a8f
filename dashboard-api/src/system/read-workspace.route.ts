import { smsSenders, workspaceRecord } from '@tidings/administration'
import { SystemWorkspaceDetail, SystemWorkspaceQuery } from '@tidings/contracts'
import {
  INSTALLATION,
  Refused,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
  type WorkspaceState,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { App } from '@tidings/http'
import { forWorkspace, workspaceOfSlug } from '@tidings/read-models'
import { balanceOf } from '@tidings/wallet'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'
import { addressSender, domainSender, smsSender } from './system-senders.ts'

const schema = {
  operationId: 'system.workspace',
  summary: 'One workspace, with what operators decide about',
  tags: ['system'],
  querystring: SystemWorkspaceQuery,
  response: { 200: SystemWorkspaceDetail },
}

const config = { access: 'session', dashboard: { role: 'operator' }, refusals: ['workspace_not_found'] } as const

/** The page shows so many of each kind; people may add fewer. */
const SHOWN = 500

type Sources = Pick<DashboardDependencies, 'reads' | 'commands'>

async function sendersOf({ reads, commands }: Sources, workspaceId: WorkspaceId, state: WorkspaceState) {
  const owner = { slug: state.slug, name: state.settings.name }
  const numbers = await commands.load({ decider: senderNumbers, stream: senderNumbersStream(), workspaceId: INSTALLATION })
  const texts = await smsSenders(reads, workspaceId, numbers.state)
  return [
    ...texts.slice(0, SHOWN).map((sender) => smsSender(owner, sender)),
    ...Object.values(state.senderDomains)
      .slice(0, SHOWN)
      .map((known) => domainSender(owner, known)),
    ...Object.values(state.senderAddresses)
      .slice(0, SHOWN)
      .map((known) => addressSender(owner, known, known.failure)),
  ]
}

/** A change of the plan is judged by the plan alone. */
export function readSystemWorkspace(app: App, deps: DashboardDependencies): void {
  app.get('/system/workspace', { schema, config }, async ({ query: { slug } }) => {
    const row = await workspaceOfSlug(deps.db, slug)
    if (row === undefined) throw new Refused('workspace_not_found')
    const id = row.workspace_id
    const { state } = await deps.commands.load({ decider: workspace, stream: workspaceStream(id), workspaceId: id })
    const [credits, profiles, senders] = await Promise.all([
      balanceOf(deps.commands, id),
      forWorkspace(deps.db, id).profileTotal(),
      sendersOf(deps, id, state),
    ])
    const { statusReason } = state
    const { plan } = state.settings
    return {
      ...workspaceRecord({ id, state }),
      ...{ createdAt: row.created_at.toISOString(), statusReason, profiles, credits, senders, etag: etagOf({ plan }) },
    }
  })
}
