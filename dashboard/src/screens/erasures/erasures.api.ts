import { useInfiniteQuery } from '@tanstack/react-query'
import { type ErasurePage, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

/** The newest page, and those behind it as they are asked for; asked again while one of them runs. */
export function useErasures() {
  return useInfiniteQuery({
    queryKey: [...keys.erasures, 'list'],
    queryFn: ({ signal, pageParam }) => client.read<ErasurePage>(`/dashboard/erasures${queryOf({ after: pageParam })}`, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some((erasure) => erasure.state === 'running')) ? nextPoll(MOVING_MS, state) : false,
  })
}
