import { useQuery } from '@tanstack/react-query'
import type { AuditEntry, WorkspaceProofs } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'

export function useProofs() {
  return useQuery({
    queryKey: keys.proofs,
    queryFn: ({ signal }) => client.read<WorkspaceProofs>('/dashboard/proofs', signal),
  })
}

/** The exports and proofs that were asked for, newest first. */
export function useExports() {
  return useCursorPages<AuditEntry>({
    queryKey: [...keys.audit, 'exports'],
    path: '/dashboard/audit',
    query: { only: 'exports', limit: 20 },
  })
}

/** What a link loads. */
export const WHOLE_PROOF = outside('/api/v1/dashboard/proofs/all')
