import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiProblem, client } from '../api/client.ts'
import { paths } from '../paths.ts'

/** The session has ended: what was read is forgotten with the page, and the sign-in leads back here. */
function leaveWhenSignedOut(error: Error): void {
  const { pathname, search } = location
  if (!(error instanceof ApiProblem) || error.status !== 401 || !pathname.startsWith('/dashboard/w/')) return
  client.forget()
  location.assign(paths.login(pathname + search))
}

const isWorthAnother = (error: Error): boolean => error instanceof ApiProblem && (error.status === 0 || error.status >= 500)

export function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: leaveWhenSignedOut }),
    mutationCache: new MutationCache({ onError: leaveWhenSignedOut }),
    defaultOptions: {
      queries: { staleTime: 1_000, retry: (count, error) => count < 1 && isWorthAnother(error) },
      mutations: { retry: false },
    },
  })
}
