import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type Page, type Profile, type ProfileBody, queryOf } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

export type ProfilesQuery = Readonly<{
  search?: string
  consent?: string
  channel?: string
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
