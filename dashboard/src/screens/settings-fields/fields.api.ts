import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ListedCustomFields, ShownCustomField } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import type { Saving } from '../../ui/use-edited.ts'
import { bodyOf, type Draft } from './draft.ts'

const FIELDS = '/dashboard/custom-fields'

export function useFields() {
  return useQuery({ queryKey: [...keys.fields, 'all'], queryFn: ({ signal }) => client.read<ListedCustomFields>(`${FIELDS}/all`, signal) })
}

/** As of the log, each time a form opens. */
export function useField(id: string) {
  return useQuery({
    queryKey: [...keys.fields, 'one', id],
    queryFn: ({ signal }) => client.read<ShownCustomField>(`${FIELDS}/${id}`, signal),
    gcTime: 0,
  })
}

type NewField = Readonly<{ key: string; draft: Draft; idempotencyKey: string }>

export function useCreateField(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ key, draft, idempotencyKey }: NewField) =>
      client.write<ShownCustomField>(FIELDS, { body: { key, ...bodyOf(draft) }, idempotencyKey }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.fields }),
  })
}

/** All is read again, after a refusal too: somebody else may have changed it. */
export function useEditField(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft, etag, idempotencyKey }: Saving<Draft>) =>
      client.write<ShownCustomField>(`${FIELDS}/${id}`, { method: 'PUT', body: bodyOf(draft), ifMatch: etag, idempotencyKey }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.fields }),
  })
}
