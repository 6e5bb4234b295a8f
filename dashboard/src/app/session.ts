import { useParams } from 'react-router'
import type { SignedIn } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { keys } from '../api/query-keys.ts'

export const sessionQuery = {
  queryKey: keys.session,
  queryFn: ({ signal }: Readonly<{ signal: AbortSignal }>) => client.read<SignedIn>('/auth/session', signal),
  staleTime: 60_000,
}

/** Whether the service answers at all: what was known before says nothing of that. */
export const answersQuery = { ...sessionQuery, queryKey: [...keys.session, 'answers'], staleTime: 0, gcTime: 0 }

/** The workspace of the address: that of the session, since the shell shows no other. */
export function useSlug(): string {
  return useParams().slug ?? ''
}

/** Whether the session may do what owners and admins do. */
export function isAdmin(session: SignedIn | undefined): boolean {
  return session !== undefined && session.user.role !== 'member'
}
