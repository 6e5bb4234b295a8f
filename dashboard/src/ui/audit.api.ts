import { useQuery } from '@tanstack/react-query'
import type { AuditEntry, ListedPerson } from '../api/calls.ts'
import { client } from '../api/client.ts'
import { useCursorPages } from '../api/cursor-pages.ts'
import { keys } from '../api/query-keys.ts'

/** Where the entries are, and the people who may have made them. */
export type AuditSource = Readonly<{
  audit: '/dashboard/audit' | '/dashboard/system/audit'
  people: '/dashboard/people' | '/dashboard/system/operators'
}>

export type AuditFilter = Readonly<{ userId: string; from: string; to: string; zone: string }>

/** With each filter it begins at its first page. */
export function useAudit({ audit }: AuditSource, filter: AuditFilter) {
  return useCursorPages<AuditEntry>({ queryKey: [...keys.audit, audit, filter], path: audit, query: filter })
}

export function useUsers({ people }: AuditSource) {
  return useQuery({
    queryKey: [...keys.people, people],
    queryFn: async ({ signal }) => (await client.read<Readonly<{ items: readonly ListedPerson[] }>>(people, signal)).items,
  })
}
