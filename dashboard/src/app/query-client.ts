import { MutationCache, QueryCache, type QueryCacheConfig, QueryClient } from '@tanstack/react-query'
import { ApiProblem, client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'
import { paths } from '../paths.ts'
import { inside, outside } from '../prefix.ts'
import { isAnythingUnsaved } from '../ui/use-unsaved.ts'
import { createAskAgain } from './ask-again.ts'
import { createAskWhenShown } from './ask-when-shown.ts'
import { sayLate } from './late-reads.ts'

/** The session has ended: what was read is forgotten with the page, and the sign-in leads back here. */
function leaveWhenSignedOut(error: Error): void {
  if (!(error instanceof ApiProblem) || error.status !== 401) return
  const { search } = location
  const pathname = inside(location.pathname)
  if (!/^\/dashboard\/(w|system)(\/|$)/.test(pathname)) return
  client.forget()
  location.assign(outside(paths.login(pathname + search)))
}

/** A failure of a moment is not said. Where the service wants to be left alone for longer, it is. */
const isWorthAnother = (error: Error): boolean =>
  error instanceof ApiProblem && (error.status === 0 || error.status >= 500) && error.retryAfterMs === null

export function createQueryClient(): QueryClient {
  const askAgain = createAskAgain()
  const onError: QueryCacheConfig['onError'] = (error, query) => {
    // What is read while somebody types takes nothing away: a save does, and the browser asks then.
    if (!isAnythingUnsaved()) leaveWhenSignedOut(error)
    askAgain.onError(error, query)
    // Another tab has signed in to another workspace: what this page shows is none of the session's any more.
    if (error instanceof ApiProblem && error.code === 'other_workspace_shown') void queries.invalidateQueries({ queryKey: keys.session })
  }
  const askWhenShown = createAskWhenShown({ queries: () => queries, say: sayLate })
  const queries: QueryClient = new QueryClient({
    queryCache: new QueryCache({ ...askAgain, onError }),
    mutationCache: new MutationCache({ onError: leaveWhenSignedOut, onSuccess: askWhenShown }),
    defaultOptions: {
      // The service may be near where the internet is away: each question is asked, and fails by itself.
      queries: {
        networkMode: 'always',
        refetchOnReconnect: true,
        staleTime: 1_000,
        retry: (count, error) => count < 1 && isWorthAnother(error),
      },
      mutations: { networkMode: 'always', retry: false },
    },
  })
  return queries
}
