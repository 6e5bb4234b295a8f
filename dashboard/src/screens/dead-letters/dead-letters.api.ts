import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ConsumersOfDeadLetters, type DeadLetterPage, queryOf, type ShownDeadLetter } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

const LETTERS = '/dashboard/dead-letters'

/** The newest page, and those behind it as they are asked for; asked again while one of them is being tried. */
export function useDeadLetters(consumer: string) {
  return useInfiniteQuery({
    queryKey: [...keys.deadLetters, 'list', consumer],
    queryFn: ({ signal, pageParam }) => client.read<DeadLetterPage>(`${LETTERS}${queryOf({ consumer, after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((letter) => letter.state === 'redriving')) ? nextPoll(MOVING_MS, state) : false,
  })
}

export function useConsumers() {
  return useQuery({
    queryKey: [...keys.deadLetters, 'consumers'],
    queryFn: async ({ signal }) => (await client.read<ConsumersOfDeadLetters>(`${LETTERS}/consumers`, signal)).items,
  })
}

/** `refresh`: all are read again, after a refusal too: somebody else may have been faster. */
export function useSettle() {
  const queries = useQueryClient()
  return {
    retry: (id: string) => client.write<ShownDeadLetter>(`${LETTERS}/${id}/retry`, { body: {} }),
    discard: (id: string, reason: string) => client.write<ShownDeadLetter>(`${LETTERS}/${id}/discard`, { body: { reason } }),
    refresh: () => Promise.all([keys.deadLetters, keys.overview, keys.messages].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  }
}
