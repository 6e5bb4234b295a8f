import { focusManager, notifyManager, type Query, type QueryCacheConfig } from '@tanstack/react-query'
import { askAgainMs, isDeserted, isTemporary } from '../api/polling.ts'

type Failing = Readonly<{ failures: number; timer: ReturnType<typeof setTimeout> }>
type AnyQuery = Query<unknown, unknown, unknown>

/** Asks once more; until that is answered, what failed before is still said. */
function askOnceMore(query: AnyQuery): void {
  const { error } = query.state
  notifyManager.batch(() => {
    // The cache is called with how it ends.
    query.fetch().catch(() => undefined)
    query.setState({ status: 'error', error })
  })
}

/**
 * Asks again for what a screen could not read while the service was busy or away, later each time, until it is answered or the screen is left. It waits while
 * the tab is hidden or the page deserted, as polls do.
 */
export function createAskAgain(random: () => number = Math.random): Required<Pick<QueryCacheConfig, 'onError' | 'onSuccess'>> {
  const failing = new WeakMap<AnyQuery, Failing>()

  const forget = (query: AnyQuery): void => {
    clearTimeout(failing.get(query)?.timer)
    failing.delete(query)
  }

  const wait = (query: AnyQuery, failures: number, ms: number): void => {
    clearTimeout(failing.get(query)?.timer)
    const timer = setTimeout(() => {
      if (!query.isActive()) return forget(query)
      // Somebody has pressed the button: that question has an end of its own.
      if (query.state.fetchStatus !== 'idle') return
      if (!focusManager.isFocused() || isDeserted()) return wait(query, failures, ms)
      askOnceMore(query)
    }, ms)
    failing.set(query, { failures, timer })
  }

  return {
    onError: (error, query) => {
      if (!isTemporary(error)) return forget(query)
      const failures = (failing.get(query)?.failures ?? 0) + 1
      wait(query, failures, askAgainMs(error, failures, random()))
    },
    onSuccess: (_, query) => forget(query),
  }
}
