import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type List, type Page, type Profile, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const MEMBERS = 50
/** A page of lists, of which the one that is shown gets its name. */
const LISTS = 100

export function useList(id: string) {
  return useQuery({
    queryKey: [...keys.lists, 'named', id],
    queryFn: async ({ signal }) => {
      const { items } = await client.read<Page<List>>(`/dashboard/lists${queryOf({ limit: LISTS })}`, signal)
      return items.find((list) => list.id === id) ?? null
    },
  })
}

export function useMembers(id: string, offset: number) {
  return useQuery({
    queryKey: [...keys.profiles, 'of', id, offset],
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

const membersOf = (id: string): string => `/dashboard/lists/${encodeURIComponent(id)}/members`

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
