import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { EventCatalogue, EventIngested, ShownCustomEvent } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import type { Saving } from '../../ui/use-edited.ts'
import { bodyOf, type Draft } from './draft.ts'

const DECLARED = '/dashboard/custom-events'

export function useCatalogue() {
  return useQuery({
    queryKey: [...keys.events, 'catalogue'],
    queryFn: ({ signal }) => client.read<EventCatalogue>('/dashboard/events/catalogue', signal),
  })
}

/** As of the log, each time a form opens. */
export function useDeclaration(id: string) {
  return useQuery({
    queryKey: [...keys.events, 'one', id],
    queryFn: ({ signal }) => client.read<ShownCustomEvent>(`${DECLARED}/${id}`, signal),
    gcTime: 0,
  })
}

type NewEvent = Readonly<{ name: string; draft: Draft; idempotencyKey: string }>

export function useDeclare(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, draft, idempotencyKey }: NewEvent) => {
      const { label, propertyNames } = bodyOf(draft)
      return client.write<ShownCustomEvent>(DECLARED, { body: { name, label, propertyNames }, idempotencyKey })
    },
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.events }),
  })
}

/** All is read again, after a refusal too: somebody else may have changed it. */
export function useEditDeclaration(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft, etag, idempotencyKey }: Saving<Draft>) =>
      client.write<ShownCustomEvent>(`${DECLARED}/${id}`, { method: 'PUT', body: bodyOf(draft), ifMatch: etag, idempotencyKey }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.events }),
  })
}

type TestEvent = Readonly<{ event: string; contactId: string; properties: object; idempotencyKey: string }>

export function useSendEvent() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ idempotencyKey, ...body }: TestEvent) =>
      client.write<EventIngested>('/dashboard/events/ingest', { body, idempotencyKey }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.events }),
  })
}
