import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { AskedErasure, Profile, ProfileBody } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const keyOf = (id: string) => [...keys.profiles, 'one', id]

export function useProfile(id: string) {
  return useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => client.read<Profile>(`/dashboard/profiles/${encodeURIComponent(id)}`, signal),
  })
}

export type Blocked = Readonly<{ contactId: string; channel: 'email' | 'sms'; isBlocked: boolean }>

/** Blocks a channel, or lifts the block. */
export function useBlock(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ contactId, channel, isBlocked }: Blocked) =>
      client.write<unknown>('/dashboard/profiles/blacklist', {
        method: isBlocked ? 'DELETE' : 'POST',
        body: { contactId, channel },
      }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.profiles })
      await queries.refetchQueries({ queryKey: keyOf(id) })
      onDone()
    },
  })
}

export function useUpdate(id: string, onDone: (isShown: boolean) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ body, idempotencyKey }: Readonly<{ body: ProfileBody; idempotencyKey: string }>) =>
      client.write<Profile>(`/dashboard/profiles/${encodeURIComponent(id)}`, { method: 'PATCH', body, idempotencyKey }),
    onSuccess: async ({ data, isShown }) => {
      queries.setQueryData(keyOf(id), data)
      onDone(isShown)
      if (isShown) await queries.invalidateQueries({ queryKey: keys.profiles })
    },
  })
}

/** Forgets the person; `confirm` is the address that was typed. */
export function useErase(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Readonly<{ confirm: string }>) =>
      client.write<AskedErasure>(`/dashboard/profiles/${encodeURIComponent(id)}/erasure`, { body }),
    onSuccess: () => {
      onDone()
      // The page that is being left does not ask for the person again.
      void queries.invalidateQueries({ queryKey: keys.profiles, refetchType: 'none' })
      void queries.invalidateQueries({ queryKey: keys.erasures })
    },
  })
}
