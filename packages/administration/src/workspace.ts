import type { WorkspaceId, WorkspaceState } from '@tidings/domain'

type KnownWorkspace = Readonly<{ id: WorkspaceId; state: WorkspaceState }>

/** What a workspace is called, and whether it may be used, as of the log. */
export function workspaceRecord({ id, state: { slug, settings, status } }: KnownWorkspace) {
  return { id, slug, name: settings.name, plan: settings.plan, status }
}
