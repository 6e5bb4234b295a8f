import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ShownTag, ShownTags } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'
import type { Saving } from '../../ui/use-edited.ts'

const TAGS = '/dashboard/tags'

export type TagColor = NonNullable<ShownTag['color']>

export function useTags() {
  return useQuery({ queryKey: [...keys.tags, 'all'], queryFn: ({ signal }) => client.read<ShownTags>(`${TAGS}/all`, signal) })
}

type NewTag = Readonly<{ name: string; color: TagColor | null; idempotencyKey: string }>

export function useCreateTag(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, color, idempotencyKey }: NewTag) =>
      client.write(TAGS, { body: { name, ...(color !== null && { color }) }, idempotencyKey }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tags }),
  })
}

/** All are read again, after a refusal too: somebody else may have changed one. */
export function useEditTag(id: string, onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ draft: color, etag, idempotencyKey }: Saving<TagColor | null>) =>
      client.write<ShownTag>(`${TAGS}/${id}`, { method: 'PUT', body: { color }, ifMatch: etag, idempotencyKey }),
    onSuccess: onDone,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tags }),
  })
}
