import { useQuery } from '@tanstack/react-query'
import type { AuditEntry, ListedPerson } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { keys } from '../../api/query-keys.ts'

export type AuditFilter = Readonly<{ userId: string; from: string; to: string; zone: string }>

/** With each filter it begins at its first page. */
export function useAudit(filter: AuditFilter) {
  return useCursorPages<AuditEntry>({ queryKey: [...keys.audit, filter], path: '/dashboard/audit', query: filter })
}

export function useUsers() {
  return useQuery({
    queryKey: keys.people,
    queryFn: async ({ signal }) => (await client.read<Readonly<{ items: readonly ListedPerson[] }>>('/dashboard/people', signal)).items,
  })
}
