import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ApiProblem } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { outside } from '../../prefix.ts'

type OutboxChannel = 'email' | 'sms' | 'voice' | 'push'

/** What a provider would have been handed; a channel has only what belongs to it. */
export type Sent = Readonly<{
  id: string
  channel: OutboxChannel
  to: string
  from?: string
  subject?: string
  html?: string
  text?: string
  body?: string
  headers?: Readonly<Record<string, string>>
  messageId?: string
  at: string
}>

const KEY = ['mailbox']

/** The development outbox has no envelope: it is no part of the API. */
async function ask<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(outside(path), {
    ...init,
    headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
  }).catch(() => null)
  if (response === null) throw new ApiProblem({ status: 0, message: 'The service could not be reached.' })
  const answer: Answer & { message?: string } = await response.json()
  if (!response.ok) throw new ApiProblem({ status: response.status, message: answer.message ?? `The service answered ${response.status}.` })
  return answer
}

export function useMailbox(channel: string) {
  return useQuery({
    queryKey: [...KEY, channel],
    queryFn: async ({ signal }) => {
      const query = channel === '' ? '' : `?channel=${encodeURIComponent(channel)}`
      return (await ask<{ items: readonly Sent[] }>(`/dev/outbox${query}`, { signal })).items
    },
    refetchInterval: ({ state }) => nextPoll(MOVING_MS, state),
  })
}

export function useClear(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => ask<unknown>('/dev/outbox', { method: 'DELETE', body: '{}' }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY })
      onDone()
    },
  })
}

/** What a provider reports of a message that it took. */
export function useReport(id: string) {
  return useMutation({
    mutationFn: (status: string) =>
      ask<unknown>(`/dev/outbox/${encodeURIComponent(id)}/report`, { method: 'POST', body: JSON.stringify({ status }) }),
  })
}
