import pLimit, { type LimitFunction } from 'p-limit'

/** Runs work that keeps a connection of the pool busy for long, when it is this workspace's turn. */
export type FairShare = <Result>(workspaceId: string, work: () => Promise<Result>) => Promise<Result>

/**
 * At most `each` at a time for a workspace, the rest in the order in which it came: however much one workspace asks, connections are left for
 * the others. How much waits is bounded by the rate limits.
 */
export function fairShare(each: number): FairShare {
  const limits = new Map<string, LimitFunction>()
  return async (workspaceId, work) => {
    const limit = limits.get(workspaceId) ?? pLimit(each)
    limits.set(workspaceId, limit)
    try {
      return await limit(work)
    } finally {
      if (limit.activeCount === 0 && limit.pendingCount === 0) limits.delete(workspaceId)
    }
  }
}
