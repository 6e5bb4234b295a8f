import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { WorkspaceSettings } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const PATH = '/dashboard/workspace'

/** The records that are saved each for itself. */
export type SectionName = 'general' | 'marketing' | 'replies'

export function useWorkspace() {
  return useQuery({ queryKey: keys.workspace, queryFn: ({ signal }) => client.read<WorkspaceSettings>(PATH, signal) })
}

type Saving = Readonly<{ body: unknown; etag: string; idempotencyKey: string }>

export function useSaveSection(name: SectionName) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ body, etag, idempotencyKey }: Saving) =>
      client.write<WorkspaceSettings>(`${PATH}/${name}`, { method: 'PUT', body, ifMatch: etag, idempotencyKey }),
    onSuccess: ({ data }) => queries.setQueryData(keys.workspace, data),
  })
}

type NewStatus = Readonly<{ status: WorkspaceSettings['status']; slug?: string }>

/** The sessions of its users end with a workspace that stops: what is asked next leads to the sign-in. */
export function useChangeStatus(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewStatus) => client.write<WorkspaceSettings>(`${PATH}/status`, { body }),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: keys.workspace })
    },
  })
}
