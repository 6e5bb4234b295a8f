import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AskedDelivery, SignedDelivery, WatchedWebhook, WebhookDelivery, WebhookTry } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { useCursorPages } from '../../api/cursor-pages.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

const pathOf = (id: string, more = '') => `/dashboard/webhooks/${encodeURIComponent(id)}${more}`
const deliveryPath = (id: string, delivery: string, more = '') => pathOf(id, `/deliveries/${encodeURIComponent(delivery)}${more}`)

/** While something waits for the endpoint, the screen asks again. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: [...keys.webhooks, id],
    queryFn: ({ signal }) => client.read<WatchedWebhook>(pathOf(id), signal),
    refetchInterval: ({ state }) => ((state.data?.waiting ?? 0) > 0 ? nextPoll(MOVING_MS, state) : false),
  })
}

/** Asked again with each try that the endpoint counts: the last one may come between two questions. */
export function useTries({ id, waiting, lastDay: { delivered, retrying, dropped } }: WatchedWebhook) {
  return useCursorPages<WebhookTry>({
    queryKey: [...keys.webhooks, id, 'tries', waiting, delivered + retrying + dropped],
    path: pathOf(id, '/deliveries'),
    query: { limit: 50 },
    keepsShown: true,
  })
}

export function useDelivery(id: string, delivery: string) {
  return useQuery({
    queryKey: [...keys.webhooks, id, 'delivery', delivery],
    queryFn: ({ signal }) => client.read<WebhookDelivery>(deliveryPath(id, delivery), signal),
    refetchInterval: ({ state }) => (state.data?.status === 'waits' ? nextPoll(MOVING_MS, state) : false),
  })
}

/** One of what is done to an endpoint; all that is shown of it is asked for again. */
function useDoing<Data>(act: () => Promise<Readonly<{ data: Data }>>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn: act, onSuccess: () => queries.invalidateQueries({ queryKey: keys.webhooks }) })
}

export function useTestDelivery(id: string) {
  return useDoing(() => client.write<AskedDelivery>(pathOf(id, '/test'), { body: {} }))
}

export function useMoveWebhook(id: string, verb: 'pause' | 'resume') {
  return useDoing(() => client.write<WatchedWebhook>(pathOf(id, `/${verb}`), { body: {} }))
}

export function useDeliverAgain(id: string, delivery: string) {
  return useDoing(() => client.write<AskedDelivery>(deliveryPath(id, delivery, '/again'), { body: {} }))
}

/** The signature is made when somebody asks for it, and kept nowhere. */
export function useSignedDelivery(id: string, delivery: string) {
  return useMutation({
    mutationFn: async () => (await client.write<SignedDelivery>(deliveryPath(id, delivery, '/signature'), { body: {} })).data,
    gcTime: 0,
  })
}
