import { useQuery } from '@tanstack/react-query'
import type { Erasure } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { MOVING_MS, nextPoll } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'
import { outside } from '../../prefix.ts'

const pathOf = (id: string) => `/dashboard/erasures/${encodeURIComponent(id)}`

/** One that runs is asked about until it is whole. */
export function useErasure(id: string) {
  return useQuery({
    queryKey: [...keys.erasures, id],
    queryFn: ({ signal }) => client.read<Erasure>(pathOf(id), signal),
    refetchInterval: ({ state }) => (state.data?.state === 'running' ? nextPoll(MOVING_MS, state) : false),
  })
}

/** What a link loads. */
export function receiptAddress(id: string): string {
  return outside(`/api/v1${pathOf(id)}/receipt`)
}

export function proofAddress(id: string): string {
  return outside(`/api/v1/dashboard/profiles/${encodeURIComponent(id)}/proof`)
}
