import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type InvitedPerson, type ListedPerson, type MadeLink, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import type { GivenLink } from '../../ui/given-link.tsx'
import type { Language } from '../../words/language.ts'

const PEOPLE = '/dashboard/people'
const pathOf = (id: string, more = '') => `${PEOPLE}/${encodeURIComponent(id)}${more}`

export type PersonRole = ListedPerson['role']

export function usePeople() {
  return useQuery({
    queryKey: keys.people,
    queryFn: async ({ signal }) => (await client.read<Readonly<{ items: readonly ListedPerson[] }>>(PEOPLE, signal)).items,
  })
}

/** One of what is done to the users; the list is asked for again. */
function useChange<Body, Data>(act: (given: Body) => Promise<Readonly<{ data: Data }>>, onDone: (data: Data) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    onSuccess: async ({ data }) => {
      onDone(data)
      await queries.invalidateQueries({ queryKey: keys.people })
    },
  })
}

export function useInvite(onDone: (invited: InvitedPerson) => void) {
  return useChange(
    (body: Readonly<{ email: string; role: PersonRole; language: Language }>) => client.write<InvitedPerson>(PEOPLE, { body }),
    onDone,
  )
}

export function useChangeRole(onDone: () => void) {
  return useChange(
    ({ id, role }: Readonly<{ id: string; role: PersonRole }>) => client.write<unknown>(pathOf(id), { method: 'PATCH', body: { role } }),
    onDone,
  )
}

export function useNewLink(onDone: (link: GivenLink) => void) {
  return useChange(async ({ id, email, language }: Readonly<{ id: string; email: string; language: Language }>) => {
    const { data } = await client.write<MadeLink>(pathOf(id, `/link${queryOf({ language })}`), { body: {} })
    return { data: { ...data, email } }
  }, onDone)
}

export function useRemovePerson(onDone: () => void) {
  return useChange((id: string) => client.write<unknown>(pathOf(id), { method: 'DELETE' }), onDone)
}
