import type { WorkspaceId } from '../ids.ts'
import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'
import { sameJson } from '../values.ts'

// Stored for ever: change only together with an upcast.
/** The whole state of a connector: a caller that knows the secret may report events of stores. */
type ConnectorConfigured = Event<'ConnectorConfigured', { connectorId: string; name: string; secret: string }>
export type ConnectorsEvent = ConnectorConfigured

const connectorSubject = ({ connectorId }: Readonly<{ connectorId: string }>): string => `connector:${connectorId}`

export const connectorsDeclarations = {
  ConnectorConfigured: { version: 1, personal: { subject: connectorSubject, fields: ['secret'], secret: ['secret'] } },
} as const satisfies EventDeclarations & Record<ConnectorsEvent['type'], unknown>

/** Connectors that people may make; workspace files may have more. */
export const MAX_CONNECTORS = 20

/** The connectors in the order in which they came. `secret` is null if its key is gone; then it opens nothing. `version` counts its secrets from 1. */
type ConnectorsState = readonly Readonly<{ connectorId: string; name: string; secret: string | null; version: number }>[]

/** Makes the connector be as described: another secret takes effect at once. Its id comes from workspace and name. */
export type ConfigureConnector = Command<'ConfigureConnector', ConnectorConfigured['data']>

/** All connectors of a workspace are one stream: they are asked together. */
export function connectorsStream(workspaceId: WorkspaceId): string {
  return `connectors-${workspaceId}`
}

const decide = ({ data }: ConfigureConnector, state: ConnectorsState): readonly ConnectorsEvent[] =>
  state.some(({ version: _, ...known }) => sameJson(known, data)) ? [] : [{ type: 'ConnectorConfigured', data }]

const evolve = (state: ConnectorsState, { data }: ConnectorsEvent): ConnectorsState => {
  const known = state.find(({ connectorId }) => connectorId === data.connectorId)
  const configured = { ...data, version: (known?.version ?? 0) + 1 }
  return known === undefined ? [...state, configured] : state.map((one) => (one === known ? configured : one))
}

/** The connectors that may report events of stores to a workspace. */
export const connectors: Decider<ConfigureConnector, ConnectorsEvent, ConnectorsState> = { decide, evolve, initialState: [] }
