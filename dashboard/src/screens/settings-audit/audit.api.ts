import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { type AuditEntryPage, type ListedPerson, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export type AuditFilter = Readonly<{ userId: string; from: string; to: string; zone: string }>

/** With each filter it begins at its first page. */
export function useAudit(filter: AuditFilter) {
  return useInfiniteQuery({
    queryKey: [...keys.audit, filter],
    queryFn: ({ pageParam, signal }) => client.read<AuditEntryPage>(`/dashboard/audit${queryOf({ ...filter, after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
  })
}

export function useUsers() {
  return useQuery({
    queryKey: keys.people,
    queryFn: async ({ signal }) => (await client.read<Readonly<{ items: readonly ListedPerson[] }>>('/dashboard/people', signal)).items,
  })
}
