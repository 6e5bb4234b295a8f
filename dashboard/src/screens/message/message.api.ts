import { useQuery } from '@tanstack/react-query'
import type { FoundMessage, MessageStory } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'
import { isMoving } from '../../ui/status-tone.ts'

const pathOf = (id: string) => `/dashboard/messages/${encodeURIComponent(id)}`

/** A queued message is asked about until it has left. */
export function useMessage(id: string) {
  return useQuery({
    queryKey: [...keys.messages, id],
    queryFn: ({ signal }) => client.read<FoundMessage>(`${pathOf(id)}/record`, signal),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.status) ? nextPoll(MOVING_MS, state) : false),
  })
}

/** Every fact that led to the message; asked again with each status. */
export function useStory(id: string, status: string) {
  return useQuery({
    queryKey: [...keys.messages, id, 'why', status],
    queryFn: ({ signal }) => client.read<MessageStory>(`${pathOf(id)}/why`, signal),
  })
}

/** Whether the content is kept: a passcode has none, that of an erased person is gone. */
export function useHasContent(id: string) {
  return useQuery({ queryKey: [...keys.messages, id, 'content'], queryFn: ({ signal }) => client.isThere(`${pathOf(id)}/content`, signal) })
}

/** What a frame loads. */
export function contentAddress(id: string, { part, images }: Readonly<{ part: 'html' | 'text'; images: boolean }>): string {
  return outside(`/api/v1${pathOf(id)}/content?part=${part}${images ? '&images=https' : ''}`)
}
