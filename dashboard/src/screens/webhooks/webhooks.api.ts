import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Page, WatchedWebhook } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export type NewEndpoint = Readonly<{ url: string; events: readonly string[]; label?: string }>
type Created = Readonly<{ id: string }> & Readonly<{ signingSecret: string }>

export function useWebhooks() {
  return useQuery({
    queryKey: keys.webhooks,
    queryFn: async ({ signal }) =>
      (await client.read<Readonly<{ items: readonly WatchedWebhook[] }>>('/dashboard/webhooks/health', signal)).items,
  })
}

/** The names of events that are built in: a page holds at most a hundred, and there are fewer. */
export function useEventNames() {
  return useQuery({
    queryKey: ['events'],
    queryFn: async ({ signal }) => {
      const { items } = await client.read<Page<Readonly<{ value: string; kind: string }>>>('/dashboard/events?limit=100', signal)
      return items.filter(({ kind }) => kind === 'system').map(({ value }) => value)
    },
  })
}

export type CreatedWebhook = Readonly<{ id: string; secret: string }>

export function useCreateWebhook(onCreated: (created: CreatedWebhook) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewEndpoint) => client.write<Created>('/dashboard/webhooks', { body }),
    onSuccess: async ({ data }) => {
      onCreated({ id: data.id, secret: data.signingSecret })
      await queries.invalidateQueries({ queryKey: keys.webhooks })
    },
  })
}

/** The first delivery to a new endpoint. */
export function useFirstTest(onAsked: (id: string) => void) {
  return useMutation({
    mutationFn: (id: string) => client.write<unknown>(`/dashboard/webhooks/${encodeURIComponent(id)}/test`, { body: {} }),
    onSettled: (_data, _error, id) => onAsked(id),
  })
}

export function useDeleteWebhook(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => client.write<unknown>(`/dashboard/webhooks/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.webhooks })
      onDone()
    },
  })
}
