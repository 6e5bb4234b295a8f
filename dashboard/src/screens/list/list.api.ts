import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type EditedList, type Page, type Profile, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

const MEMBERS = 50
export function pathOf(id: string): string {
  return `/dashboard/lists/${encodeURIComponent(id)}`
}

export function keyOf(id: string) {
  return [...keys.lists, 'one', id]
}

/** Asked again where a rule decides: members join and leave by themselves. */
export function useList(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => client.read<EditedList>(pathOf(id), signal),
    refetchInterval: ({ state }) => (state.data?.type === 'dynamic' ? nextPoll(MOVING_MS, state) : false),
  })
}

/** `count`: members are read again where there are more or fewer. */
export function useMembers(id: string, { offset, count }: Readonly<{ offset: number; count: number | undefined }>) {
  return useQuery({
    queryKey: [...keys.profiles, 'of', id, offset, count],
    queryFn: ({ signal }) => client.read<Page<Profile>>(`/dashboard/profiles${queryOf({ segmentId: id, limit: MEMBERS, offset })}`, signal),
    placeholderData: keepPreviousData,
  })
}

/** Changes of members are read back once the API says so. */
function useMemberChange<Change, Answer>(
  ask: (change: Change) => ReturnType<typeof client.write<Answer>>,
  onDone: (answer: Answer) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSuccess: async ({ data }) => {
      onDone(data)
      await Promise.all([queries.invalidateQueries({ queryKey: keys.lists }), queries.invalidateQueries({ queryKey: keys.profiles })])
    },
  })
}

const membersOf = (id: string): string => `${pathOf(id)}/members`

type AddedMembers = Readonly<{ emails: readonly string[]; idempotencyKey: string }>

export function useAddMembers(id: string, onDone: (added: number) => void) {
  return useMemberChange(
    (body: AddedMembers) =>
      client.write<{ added: number }>(membersOf(id), { body: { emails: body.emails }, idempotencyKey: body.idempotencyKey }),
    ({ added }) => onDone(added),
  )
}

export function useRemoveMember(id: string, onDone: () => void) {
  return useMemberChange(
    (contactId: string) => client.write<unknown>(`${membersOf(id)}/${encodeURIComponent(contactId)}`, { method: 'DELETE' }),
    onDone,
  )
}
