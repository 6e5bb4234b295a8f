import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ShownFlow } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const pathOf = (id: string): string => `/dashboard/flows/${encodeURIComponent(id)}`

/** As it is now: a form is filled with it once, and what somebody else changes meanwhile is met when it is saved. */
export function useSource(id: string | undefined) {
  return useQuery({
    queryKey: [...keys.flows, id, 'to edit'],
    queryFn: ({ signal }) => client.read<ShownFlow>(pathOf(id ?? ''), signal),
    enabled: id !== undefined,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

type Saving = Readonly<{ name: string; body: object; known: ShownFlow | null; idempotencyKey: string }>

/** Makes a flow, or gives the one that the form was filled from another version. */
export function useSaveFlow(onDone: (saved: ShownFlow) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, body, known, idempotencyKey }: Saving) =>
      known === null
        ? client.write<ShownFlow>('/dashboard/flows', { body: { name, ...body }, idempotencyKey })
        : client.write<ShownFlow>(pathOf(known.id), { method: 'PUT', body, ifMatch: known.etag, idempotencyKey }),
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.flows })
      onDone(data)
    },
  })
}
