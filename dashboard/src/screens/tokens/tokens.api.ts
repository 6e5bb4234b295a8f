import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ApiKey } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const KEYS = '/dashboard/integrations/api-keys'

export type CreatedKey = ApiKey & Readonly<{ key: string }>

export function useTokens() {
  return useQuery({ queryKey: keys.tokens, queryFn: ({ signal }) => client.read<readonly ApiKey[]>(KEYS, signal) })
}

export function useCreateToken(onCreated: (created: CreatedKey) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => client.write<CreatedKey>(KEYS, { body: name.trim() === '' ? {} : { name } }),
    onSuccess: async ({ data }) => {
      onCreated(data)
      await queries.invalidateQueries({ queryKey: keys.tokens })
    },
  })
}

/** An active key is revoked; a revoked one is deleted. */
export function useEndToken(onDone: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, status }: Pick<ApiKey, 'id' | 'status'>) =>
      status === 'active'
        ? client.write<unknown>(`${KEYS}/${encodeURIComponent(id)}/revoke`, { method: 'POST' })
        : client.write<unknown>(`${KEYS}/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: keys.tokens })
      onDone()
    },
  })
}
