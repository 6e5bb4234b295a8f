import type { ListId, WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import type { Rule } from '../rules/rule.ts'
import { sameJson } from '../values.ts'

/** The members of a static list are added and removed by name; those of a dynamic one follow a rule. */
export type ListType = 'static' | 'dynamic'

/** Dynamic lists of one workspace. Every change of a contact is compared with the rules that read it, and a new contact with all of them. */
export const MAX_DYNAMIC_LISTS = 200

// Stored for ever: change only together with an upcast.
export type ListCreated = Event<'ListCreated', { listId: ListId; name: string; listType: ListType }>
/** The rule of a dynamic list from now on. Versions count from 1. `restoredFrom`: the version whose rule it is again. */
export type ListRuleChanged = Event<'ListRuleChanged', { listId: ListId; version: number; rule: Rule; restoredFrom?: number }>
export type ListEvent = ListCreated | ListRuleChanged

export const listDeclarations = {
  ListCreated: { version: 1 },
  ListRuleChanged: { version: 1 },
} as const satisfies EventDeclarations & Record<ListEvent['type'], unknown>

/** Null while there is no such list. */
export type ListState = Readonly<{ name: string; listType: ListType; rule: Readonly<{ version: number; rule: Rule }> | null }> | null

/** Makes the list be there. Its id comes from workspace and name, so its name never changes; nor does its type. A dynamic list has a rule. */
export type ConfigureList = Command<'ConfigureList', ListCreated['data'] & { rule?: Rule; restoredFrom?: number }>

/** The list itself; its members are in the streams of `membersStream`. */
export function listStream(workspaceId: WorkspaceId, listId: ListId): string {
  return `list-${workspaceId}-${listId}`
}

const decide = ({ data: { rule, restoredFrom, ...created } }: ConfigureList, state: ListState): readonly ListEvent[] => {
  if (state !== null && state.listType !== created.listType) throw new Refused('list_type_fixed')
  const creation: readonly ListEvent[] = state === null ? [{ type: 'ListCreated', data: created }] : []
  const known = state?.rule ?? null
  if (rule === undefined || (known !== null && sameJson(known.rule, rule))) return creation
  const version = (known?.version ?? 0) + 1
  const data = { listId: created.listId, version, rule, ...(restoredFrom !== undefined && { restoredFrom }) }
  return [...creation, { type: 'ListRuleChanged', data }]
}

const evolve = (state: ListState, event: ListEvent): ListState => {
  switch (event.type) {
    case 'ListCreated':
      return { name: event.data.name, listType: event.data.listType, rule: null }
    case 'ListRuleChanged':
      return state && { ...state, rule: { version: event.data.version, rule: event.data.rule } }
    default:
      return event satisfies never
  }
}

/** A list of contacts, called segment where a parameter names one (contract: Lists). */
export const list: Decider<ConfigureList, ListEvent, ListState> = { decide, evolve, initialState: null }

/** Throws `Refused`: `list_not_found`, or `list_not_static` for one whose members follow a rule (G15, G16). */
export function refuseUnlessStatic(state: Readonly<{ name: string; listType: ListType }> | null): void {
  if (state === null) throw new Refused('list_not_found')
  if (state.listType !== 'static') throw new Refused('list_not_static')
}
