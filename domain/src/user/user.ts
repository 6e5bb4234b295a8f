import type { Command, Decider, Event, EventDeclarations } from '../kernel.ts'
import { sameJson } from '../values.ts'

export const USER_ROLES = ['owner', 'admin', 'member'] as const
type UserRole = (typeof USER_ROLES)[number]

// Stored for ever: change only together with an upcast.
/** What holds for the user now, as a whole. `passwordHash` names its algorithm; the password is not stored. */
type UserConfigured = Event<'UserConfigured', { userId: string; email: string; passwordHash: string; role: UserRole }>
export type UserEvent = UserConfigured

const userSubject = ({ userId }: Readonly<{ userId: string }>): string => `user:${userId}`

export const userDeclarations = {
  UserConfigured: { version: 1, personal: { subject: userSubject, fields: ['email', 'passwordHash'] } },
} satisfies EventDeclarations & Record<UserEvent['type'], unknown>

/** Null while there is no such user. */
type UserState = UserConfigured['data'] | null

/** Makes the user be as described. The id comes from workspace and email, so the email never changes. */
export type ConfigureUser = Command<'ConfigureUser', UserConfigured['data']>

export function userStream(workspaceId: string, userId: string): string {
  return `user-${workspaceId}-${userId}`
}

const decide = ({ data }: ConfigureUser, state: UserState): readonly UserEvent[] =>
  sameJson(data, state) ? [] : [{ type: 'UserConfigured', data }]

const evolve = (_: UserState, { data }: UserEvent): UserState => data

/** A person who works with a workspace (N442). */
export const user: Decider<ConfigureUser, UserEvent, UserState> = { decide, evolve, initialState: null }
