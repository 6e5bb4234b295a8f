import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type MessageSearchPage, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { isMoving } from '../../ui/status-tone.ts'

const LIMIT = 50

export type MessagesQuery = Readonly<{ status: string; channel: string; from: string; to: string; after: string }>

/** Newest first; asked again while one on the page may still leave. */
export function useMessages(query: MessagesQuery) {
  return useQuery({
    queryKey: [...keys.messages, 'search', query],
    queryFn: ({ signal }) => client.read<MessageSearchPage>(`/dashboard/messages${queryOf({ ...query, limit: LIMIT })}`, signal),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.items.some(({ status }) => isMoving(status)) ? nextPoll(MOVING_MS) : false),
  })
}
