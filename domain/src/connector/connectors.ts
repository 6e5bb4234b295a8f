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

/** The connectors in the order in which they came. `secret` is null if its key is gone; then it opens nothing. */
type ConnectorsState = readonly Readonly<{ connectorId: string; name: string; secret: string | null }>[]

/** Makes the connector be as described: another secret takes effect at once. Its id comes from workspace and name. */
export type ConfigureConnector = Command<'ConfigureConnector', ConnectorConfigured['data']>

/** All connectors of a workspace are one stream: they are asked together. */
export function connectorsStream(workspaceId: WorkspaceId): string {
  return `connectors-${workspaceId}`
}

const decide = ({ data }: ConfigureConnector, state: ConnectorsState): readonly ConnectorsEvent[] =>
  state.some((known) => sameJson(known, data)) ? [] : [{ type: 'ConnectorConfigured', data }]

const evolve = (state: ConnectorsState, { data }: ConnectorsEvent): ConnectorsState => {
  const isKnown = state.some(({ connectorId }) => connectorId === data.connectorId)
  return isKnown ? state.map((known) => (known.connectorId === data.connectorId ? data : known)) : [...state, data]
}

/** The connectors that may report events of stores to a workspace. */
export const connectors: Decider<ConfigureConnector, ConnectorsEvent, ConnectorsState> = { decide, evolve, initialState: [] }
