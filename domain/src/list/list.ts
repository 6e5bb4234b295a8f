import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'

/** The members of a static list are added and removed by name; those of a dynamic one follow a rule. */
export type ListType = 'static' | 'dynamic'

// Stored for ever: change only together with an upcast.
export type ListCreated = Event<'ListCreated', { listId: string; name: string; listType: ListType }>
export type ListEvent = ListCreated

export const listDeclarations = {
  ListCreated: { version: 1 },
} satisfies EventDeclarations & Record<ListEvent['type'], unknown>

/** Null while there is no such list. */
type ListState = Readonly<{ name: string; listType: ListType }> | null

/** Makes the list be there. Its id comes from workspace and name, so its name never changes; nor does its type. */
export type ConfigureList = Command<'ConfigureList', ListCreated['data']>

/** The list itself; its members are in the streams of `membersStream`. */
export function listStream(workspaceId: string, listId: string): string {
  return `list-${workspaceId}-${listId}`
}

const decide = ({ data }: ConfigureList, state: ListState): readonly ListEvent[] => {
  if (state === null) return [{ type: 'ListCreated', data }]
  if (state.listType !== data.listType) throw new Refused('list_type_fixed')
  return []
}

const evolve = (_: ListState, { data: { name, listType } }: ListEvent): ListState => ({ name, listType })

/** A list of contacts, called segment where a parameter names one (contract: Lists). */
export const list: Decider<ConfigureList, ListEvent, ListState> = { decide, evolve, initialState: null }

/** Throws `Refused`: `list_not_found`, or `list_not_static` for one whose members follow a rule (G15, G16). */
export function refuseUnlessStatic(state: ListState): void {
  if (state === null) throw new Refused('list_not_found')
  if (state.listType !== 'static') throw new Refused('list_not_static')
}
