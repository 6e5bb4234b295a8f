import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ConnectorWithSecret, ShownConnectors } from '../../api/calls.ts'
import { client } from '../../api/client.ts'
import { keys } from '../../api/query-keys.ts'

const CONNECTORS = '/dashboard/connectors'

export function useConnectors() {
  return useQuery({ queryKey: keys.connectors, queryFn: ({ signal }) => client.read<ShownConnectors>(CONNECTORS, signal) })
}

export function useCreateConnector(onCreated: (created: ConnectorWithSecret) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ name, idempotencyKey }: Readonly<{ name: string; idempotencyKey: string }>) =>
      client.write<ConnectorWithSecret>(CONNECTORS, { body: { name }, idempotencyKey }),
    onSuccess: ({ data }) => onCreated(data),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.connectors }),
  })
}

/** All is read again, after a refusal too: somebody else may have changed it. */
export function useRenewSecret(onRenewed: (renewed: ConnectorWithSecret) => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ id, etag }: Readonly<{ id: string; etag: string }>) =>
      client.write<ConnectorWithSecret>(`${CONNECTORS}/${encodeURIComponent(id)}/secret`, { method: 'POST', ifMatch: etag }),
    onSuccess: ({ data }) => onRenewed(data),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.connectors }),
  })
}
