import { useQuery } from '@tanstack/react-query'
import type { SystemState } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

export function useSystem() {
  return useQuery({
    queryKey: [...keys.system, 'state'],
    queryFn: ({ signal }) => client.read<SystemState>('/dashboard/system', signal),
    refetchInterval: ({ state }) => nextPoll(OVERVIEW_MS, state),
  })
}
