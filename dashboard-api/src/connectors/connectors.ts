import { randomBytes } from 'node:crypto'
import type { ConnectorWithSecret } from '@tidings/contracts'
import { type ConnectorsEvent, connectors, connectorsStream, Refused, type WorkspaceId } from '@tidings/domain'
import { etagOf } from '../editing/editable.ts'

type ConnectorKey = Readonly<{ workspaceId: WorkspaceId; connectorId: string }>
type ConnectorsState = typeof connectors.initialState
type KnownConnector = ConnectorsState[number]

/** What a form was filled from. The secret is not in it: an etag that came of a short one would let it be guessed. */
export function recordOf({ connectorId, name, version }: KnownConnector) {
  return { connectorId, name, version }
}

/** All connectors of a workspace share a stream. */
export function editableConnector({ workspaceId, connectorId }: ConnectorKey) {
  return {
    decider: connectors,
    stream: connectorsStream(workspaceId),
    recordIn: (state: ConnectorsState) => {
      const known = state.find((one) => one.connectorId === connectorId)
      return known === undefined ? null : recordOf(known)
    },
    changes: ({ data }: ConnectorsEvent) => data.connectorId === connectorId,
    notFound: 'connector_not_found',
  } as const
}

export function newSecret(): string {
  return randomBytes(32).toString('hex')
}

/** The answer that shows the secret. A command that ran before made another one, and is answered without any: a secret is shown once. */
export function shownOnce({
  events,
  state,
}: Readonly<{ events: readonly ConnectorsEvent[]; state: ConnectorsState }>): ConnectorWithSecret {
  const [made] = events
  const known = state.find(({ connectorId }) => connectorId === made?.data.connectorId)
  if (made === undefined || known === undefined) throw new Refused('idempotency_key_reused')
  const { connectorId: id, name, secret } = made.data
  return { id, name, secret, etag: etagOf(recordOf(known)) }
}
