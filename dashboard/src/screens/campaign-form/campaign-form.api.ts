import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Audience, type Campaign, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const pathOf = (id: string): string => `/dashboard/campaigns/${encodeURIComponent(id)}`

/** How many may get it; the last answer stays while the next one comes. */
export function useAudience(listId: string, channel: Campaign['channel']) {
  return useQuery({
    queryKey: [...keys.campaigns, 'audience', listId, channel],
    queryFn: ({ signal }) => client.read<Audience>(`/dashboard/campaigns/audience${queryOf({ listId, channel })}`, signal),
    enabled: listId !== '',
    placeholderData: keepPreviousData,
  })
}

/** As it is now: a form is filled with it once, and what somebody else changes meanwhile is met when it is saved. */
export function useSource(id: string | null) {
  return useQuery({
    queryKey: [...keys.campaigns, id, 'to edit'],
    queryFn: ({ signal }) => client.read<Campaign>(pathOf(id ?? ''), signal),
    enabled: id !== null,
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnWindowFocus: false,
  })
}

/** What somebody else has made of it meanwhile. */
export function useTheirs(id: string) {
  return useQuery({
    queryKey: [...keys.campaigns, id, 'changed meanwhile'],
    queryFn: ({ signal }) => client.read<Campaign>(pathOf(id), signal),
    gcTime: 0,
    staleTime: 0,
  })
}

type Saving = Readonly<{ body: object; idempotencyKey: string; changed: Pick<Campaign, 'id' | 'etag'> | null }>

/** Makes a campaign, or changes one that is still as it was read. */
export function useSave(onSaved: (saved: Campaign) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ body, idempotencyKey, changed }: Saving) =>
      changed === null
        ? client.write<Campaign>('/dashboard/campaigns', { body, idempotencyKey })
        : client.write<Campaign>(pathOf(changed.id), { method: 'PUT', body, idempotencyKey, ifMatch: changed.etag }),
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.campaigns })
      onSaved(data)
    },
  })
}
