import { workspaceRecord } from '@tidings/administration'
import type { WorkspaceSettings } from '@tidings/contracts'
import { Refused, type WorkspaceEvent, type WorkspaceId, type WorkspaceState, workspace, workspaceStream } from '@tidings/domain'
import type { DashboardDependencies } from '../dependencies.ts'
import { etagOf } from '../editing/editable.ts'

/** The settings are records of the workspace's stream: a change of one refuses no change of another. */
const settingsIn = {
  general: ({ settings: { name, country, tracking } }: WorkspaceState) => ({ name, country, tracking }),
  plan: ({ settings: { plan } }: WorkspaceState) => ({ plan }),
  marketing: ({ marketing }: WorkspaceState) => marketing,
  replies: ({ smsReplies }: WorkspaceState) => smsReplies,
} as const

type Section = keyof typeof settingsIn

const CHANGES: Readonly<Record<Section, WorkspaceEvent['type']>> = {
  general: 'WorkspaceSettingsChanged',
  plan: 'WorkspaceSettingsChanged',
  marketing: 'MarketingRulesChanged',
  replies: 'SmsRepliesSet',
}

/** One of them, as M74 edits it. */
export function editableSettings<S extends Section>(workspaceId: WorkspaceId, section: S) {
  const recordIn = settingsIn[section] as (state: WorkspaceState) => ReturnType<(typeof settingsIn)[S]>
  return {
    decider: workspace,
    stream: workspaceStream(workspaceId),
    recordIn: (state: WorkspaceState) => (state.exists ? recordIn(state) : null),
    changes: ({ type }: WorkspaceEvent) => type === CHANGES[section] || type === 'WorkspaceCreated',
    notFound: 'workspace_not_found',
  } as const
}

/** The workspace as of the log, each of its settings with the etag that its change asks for. */
export async function workspaceSettings(
  { commands }: Pick<DashboardDependencies, 'commands'>,
  workspaceId: WorkspaceId,
): Promise<WorkspaceSettings> {
  const { state } = await commands.load({ decider: workspace, stream: workspaceStream(workspaceId), workspaceId })
  if (!state.exists) throw new Refused('workspace_not_found')
  const { id, slug, plan, status } = workspaceRecord({ id: workspaceId, state })
  const withEtag = <Record extends object>(record: Record) => ({ ...record, etag: etagOf(record) })
  return {
    ...{ id, slug, plan, status },
    general: withEtag(settingsIn.general(state)),
    marketing: withEtag(settingsIn.marketing(state)),
    replies: withEtag(settingsIn.replies(state)),
  }
}
