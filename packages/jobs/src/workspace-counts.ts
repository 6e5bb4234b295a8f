/** How many of something each workspace has; only those that have some are kept. */
import type { WorkspaceId } from '@tidings/domain'

export class WorkspaceCounts {
  readonly #counts = new Map<string, number>()
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
  columns(): Readonly<{ workspaces: readonly string[]; counts: readonly number[] }> {
    return { workspaces: [...this.#counts.keys()], counts: [...this.#counts.values()] }
  }
}
