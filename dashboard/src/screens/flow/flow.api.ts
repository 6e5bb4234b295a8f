import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { FlowRuns, Profile, ShownFlow } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { nextPoll, OVERVIEW_MS } from '../../api/polling.ts'
import { keys } from '../../api/query-keys.ts'

export type FlowMove = 'pause' | 'resume' | 'retire' | 'restore'

const pathOf = (id: string, more = ''): string => `/dashboard/flows/${encodeURIComponent(id)}${more}`

/** Asked again while somebody is inside, or may come in. */
export function useFlow(id: string) {
  return useQuery({
    queryKey: [...keys.flows, id],
    queryFn: ({ signal }) => client.read<ShownFlow>(pathOf(id), signal),
    refetchInterval: ({ state }) =>
      state.data !== undefined && (state.data.inside > 0 || state.data.status === 'active') ? nextPoll(OVERVIEW_MS, state) : false,
  })
}

type MoveOnce = Readonly<{ move: FlowMove; etag: string; idempotencyKey: string }>

export function useMoveFlow(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ move, etag, idempotencyKey }: MoveOnce) =>
      client.write<ShownFlow>(pathOf(id, `/${move}`), { body: {}, ifMatch: etag, idempotencyKey }),
    onSuccess: ({ data }) => {
      queries.setQueryData([...keys.flows, id], data)
      onDone()
    },
    // A move that was refused says that somebody else has changed the flow: the dialog shows what it is now.
    onSettled: () => queries.invalidateQueries({ queryKey: keys.flows }),
  })
}

/** The last runs of a person through the flow. */
export function useRuns(id: string, person: string) {
  return useQuery({
    queryKey: [...keys.flows, id, 'runs', person],
    queryFn: ({ signal }) => client.read<FlowRuns>(pathOf(id, `/profiles/${encodeURIComponent(person)}`), signal),
    enabled: person !== '',
  })
}

/** The person whose way is shown. */
export function usePerson(person: string) {
  return useQuery({
    queryKey: [...keys.profiles, person],
    queryFn: ({ signal }) => client.read<Profile>(`/dashboard/profiles/${encodeURIComponent(person)}`, signal),
    enabled: person !== '',
  })
}
