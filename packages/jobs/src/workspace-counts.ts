import type { WorkspaceId } from '@tidings/domain'

/** How many of something each workspace has; only those that have some are kept. */
export class WorkspaceCounts {
  readonly #counts = new Map<WorkspaceId, number>()
  #total = 0

  get total(): number {
    return this.#total
  }

  of(workspaceId: WorkspaceId): number {
    return this.#counts.get(workspaceId) ?? 0
  }

  add(workspaceId: WorkspaceId, by: 1 | -1): void {
    const now = this.of(workspaceId) + by
    this.#total += by
    if (now === 0) this.#counts.delete(workspaceId)
    else this.#counts.set(workspaceId, now)
  }

  /** The counts as two arrays, as SQL takes them. */
  columns(): Readonly<{ workspaces: readonly WorkspaceId[]; counts: readonly number[] }> {
    return { workspaces: [...this.#counts.keys()], counts: [...this.#counts.values()] }
  }
}
