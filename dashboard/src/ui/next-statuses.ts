import type { WorkspaceSettings } from '../api/calls.ts'

type WorkspaceState = WorkspaceSettings['status']

/** What an operator may do next, by the status of a workspace: what is closed stays so. */
export const NEXT_STATUSES: Readonly<Record<WorkspaceState, readonly WorkspaceState[]>> = {
  active: ['suspended', 'closed'],
  suspended: ['active', 'closed'],
  closed: [],
}
