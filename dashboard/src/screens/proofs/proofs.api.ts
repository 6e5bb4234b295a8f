import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AuditEntryPage, queryOf, type WorkspaceProofs } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export function useProofs() {
  return useQuery({
    queryKey: keys.proofs,
    queryFn: ({ signal }) => client.read<WorkspaceProofs>('/dashboard/proofs', signal),
  })
}

/** The exports and proofs that were asked for, newest first. */
export function useExports() {
  return useInfiniteQuery({
    queryKey: [...keys.audit, 'exports'],
    queryFn: ({ pageParam, signal }) =>
      client.read<AuditEntryPage>(`/dashboard/audit${queryOf({ only: 'exports', limit: 20, after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
  })
}

/** What a link loads. */
export const WHOLE_PROOF = '/api/v1/dashboard/proofs/all'
