import type { WorkspaceId } from '@tidings/domain'
import pLimit, { type LimitFunction } from 'p-limit'
import { unavailable } from '../errors/problems.ts'

type ShareRequest = Readonly<{
  workspaceId: WorkspaceId
  /** Work of a request that has gone meanwhile is not begun. */
  isGone: () => boolean
}>

/** Runs work that keeps a connection of the pool busy for long, when it is this workspace's turn. Refuses with 503 where too much waits. */
type FairShare = <Result>(of: ShareRequest, work: () => Promise<Result>) => Promise<Result>

/** Waiting calls of one workspace: at two at a time and a second each, the last of them waits for ten seconds. */
const MOST_WAITING = 20

/**
 * At most `each` at a time for a workspace and `all` for all of them, the rest in the order in which it came: however much one workspace asks,
 * or how slow some of them are, connections are left for the others. A workspace waits for its own before it takes a place among all, so that
 * it never has more than `each` of these.
 */
export function fairShare({ each, all }: Readonly<{ each: number; all: number }>): FairShare {
  const limits = new Map<string, LimitFunction>()
  const ofAll = pLimit(all)
  return async ({ workspaceId, isGone }, work) => {
    const limit = limits.get(workspaceId) ?? pLimit(each)
    if (limit.pendingCount >= MOST_WAITING) throw unavailable()
    limits.set(workspaceId, limit)
    try {
      return await limit(() => ofAll(() => (isGone() ? Promise.reject(unavailable()) : work())))
    } finally {
      if (limit.activeCount === 0 && limit.pendingCount === 0) limits.delete(workspaceId)
    }
  }
}
