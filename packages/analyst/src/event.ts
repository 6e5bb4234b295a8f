import type { DetailKind, DomainEvent, PersonalField } from '@tidings/domain'

/** The event types of the log: docs/reference/events.md. */
export type EventType = DomainEvent['type']

/** The personal fields that a projection asks for, by event type. */
export type Personal<Type extends EventType> = { readonly [T in Type]?: readonly PersonalField<T>[] }

type DataOf<Type extends EventType> = Extract<DomainEvent, { type: Type }>['data']

type OpenedField<Type extends EventType, P> = P extends { readonly [T in Type]: readonly (infer Field)[] } ? Field : never

type Clear<Data, Type extends EventType> = Data extends unknown ? Omit<Data, PersonalField<Type>> : never

/** Absent without `--personal`, null where the person was erased, or a retention has ended it. */
type Opened<Data, Field> = Data extends unknown ? { readonly [F in keyof Data as F & Field]?: Data[F] | null } : never

/**
 * An event as `apply` gets it, in the shape that the newest version of its type has. `data` has the fields that name no person, and those that
 * `personal` asks for. `position` sorts as the log does; `at` is when it happened, ISO 8601 in UTC. `erased`: its personal fields were asked
 * for, and the person was erased. `ended`: the kinds of details among these that a retention has ended; their fields are null.
 */
export type AnalystEvent<Type extends EventType = EventType, P = unknown> = {
  readonly [T in Type]: Readonly<{
    type: T
    data: Clear<DataOf<T>, T> & Opened<DataOf<T>, OpenedField<T, P>>
    id: string
    stream: string
    revision: number
    position: string
    at: string
    workspaceId: string
    erased: boolean
    ended: readonly DetailKind[]
  }>
}[Type]
