import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type List, type Page, type Profile, type ProfileBody, queryOf } from '../../api/calls.ts'
import { client, newKey } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export type ProfilesQuery = Readonly<{
  search?: string
  consent?: string
  channel?: string
  segmentId?: string
  tag?: string
  blocked?: string
  sort?: string
  offset?: number
  limit?: number
}>

export function useProfiles(query: ProfilesQuery) {
  return useQuery({
    queryKey: [...keys.profiles, query],
    queryFn: ({ signal }) => client.read<Page<Profile>>(`/dashboard/profiles${queryOf(query)}`, signal),
    placeholderData: keepPreviousData,
  })
}

export function useCreateProfile(onCreated: (profile: Profile) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: Readonly<{ body: ProfileBody; idempotencyKey: string }>) =>
      client.write<Profile>('/dashboard/profiles', { body, idempotencyKey }),
    onSuccess: async ({ data }) => {
      onCreated(data)
      await queries.invalidateQueries({ queryKey: keys.profiles })
    },
  })
}

/** As many as a field offers. */
const OFFERED = 100

/** The lists of the workspace. */
export function useLists() {
  return useQuery({
    queryKey: [...keys.lists, 'offered'],
    queryFn: ({ signal }) => client.read<Page<List>>(`/dashboard/lists${queryOf({ limit: OFFERED })}`, signal),
  })
}

/** Those whose members are added one by one. */
export function useStaticLists(isWanted: boolean): readonly Readonly<{ value: string; label: string }>[] {
  const { data } = useLists()
  return isWanted ? (data?.items ?? []).flatMap(({ id, name, type }) => (type === 'static' ? [{ value: id, label: name }] : [])) : []
}

/** `target`: the list, or the channel. */
export type BulkAction = Readonly<{ verb: 'onList' | 'offList' | 'block'; target: string }>

/** Does one thing for one person by the call that a program would make; `refresh` once all are done. */
export function useDoOne() {
  const queries = useQueryClient()
  const doOne = ({ verb, target }: BulkAction, contactId: string): Promise<unknown> => {
    const idempotencyKey = newKey()
    if (verb === 'block') return client.write('/dashboard/profiles/blacklist', { body: { contactId, channel: target }, idempotencyKey })
    const members = `/dashboard/lists/${encodeURIComponent(target)}/members`
    if (verb === 'onList') return client.write(members, { body: { contactIds: [contactId] }, idempotencyKey })
    return client.write(`${members}/${encodeURIComponent(contactId)}`, { method: 'DELETE', idempotencyKey })
  }
  const refresh = async (): Promise<void> => {
    await Promise.all([queries.invalidateQueries({ queryKey: keys.profiles }), queries.invalidateQueries({ queryKey: keys.lists })])
  }
  return { doOne, refresh }
}
