import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Page, WebhookEndpoint } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export type NewEndpoint = Readonly<{ url: string; events: readonly string[]; label?: string }>
type Created = WebhookEndpoint & Readonly<{ signingSecret: string }>

export function useWebhooks() {
  return useQuery({
    queryKey: keys.webhooks,
    queryFn: ({ signal }) => client.read<readonly WebhookEndpoint[]>('/dashboard/webhooks', signal),
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

export function useCreateWebhook(onCreated: (secret: string) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewEndpoint) => client.write<Created>('/dashboard/webhooks', { body }),
    onSuccess: async ({ data }) => {
      onCreated(data.signingSecret)
      await queries.invalidateQueries({ queryKey: keys.webhooks })
    },
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
