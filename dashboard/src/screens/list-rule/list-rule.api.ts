import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Rule } from '@tidings/domain'
import type { EditedList } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const pathOf = (id: string): string => `/dashboard/lists/${encodeURIComponent(id)}`

export function useEditedList(id: string | undefined) {
  return useQuery({
    queryKey: [...keys.lists, 'one', id],
    queryFn: ({ signal }) => client.read<EditedList>(pathOf(id ?? ''), signal),
    enabled: id !== undefined,
  })
}

type Saving = Readonly<{ name: string; rule: Rule; known: EditedList | null; idempotencyKey: string }>

/** Makes a list, or gives the one that the form was filled from another rule. */
export function useSaveRule(onDone: (saved: EditedList) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, rule, known, idempotencyKey }: Saving) =>
      known === null
        ? client.write<EditedList>('/dashboard/lists', { body: { name, type: 'dynamic', rule }, idempotencyKey })
        : client.write<EditedList>(pathOf(known.id), { method: 'PUT', body: { rule }, ifMatch: known.etag, idempotencyKey }),
    onSuccess: async ({ data }) => {
      await queries.invalidateQueries({ queryKey: keys.lists })
      onDone(data)
    },
  })
}
