import type { WorkspaceId } from '@tidings/domain'

/**
 * Rows under the id of their workspace: every event of its stream drops them, whatever it says. They are a few in the life of a workspace, and
 * a type that is added later is heard of from the first day on.
 */
export function byWorkspace(...declarations: readonly Readonly<Record<string, unknown>>[]) {
  return {
    types: declarations.flatMap((declared) => Object.keys(declared)),
    names: ({ workspaceId }: Readonly<{ workspaceId: WorkspaceId }>): readonly string[] => [workspaceId],
  }
}
