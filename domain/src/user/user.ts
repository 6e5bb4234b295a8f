import type { WorkspaceId } from '../ids.ts'
import { type Command, type Decider, type Event, type EventDeclarations, Refused } from '../kernel.ts'
import { sameJson } from '../values.ts'

export const USER_ROLES = ['owner', 'admin', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

// Stored for ever: change only together with an upcast.
/** What holds for the user now, as a whole. `passwordHash` names its algorithm; the password is not stored. */
export type UserConfigured = Event<'UserConfigured', { userId: string; email: string; passwordHash: string; role: UserRole }>
export type UserRemoved = Event<'UserRemoved', { userId: string }>
export type UserEvent = UserConfigured | UserRemoved

const userSubject = ({ userId }: Readonly<{ userId: string }>): string => `user:${userId}`

export const userDeclarations = {
  UserConfigured: { version: 1, personal: { subject: userSubject, fields: ['email', 'passwordHash'], secret: ['passwordHash'] } },
  UserRemoved: { version: 1 },
} as const satisfies EventDeclarations & Record<UserEvent['type'], unknown>

/** Null while there is no such user. */
export type UserState = UserConfigured['data'] | null

/** Makes the user be as described. The id comes from workspace and email, so the email never changes. */
type ConfigureUser = Command<'ConfigureUser', UserConfigured['data']>
/** Like `ConfigureUser`, for an address that is not a user yet: an existing user keeps password and role. */
type AddUser = Command<'AddUser', UserConfigured['data']>
type ChangePassword = Command<'ChangePassword', Pick<UserConfigured['data'], 'userId' | 'passwordHash'>>
type RemoveUser = Command<'RemoveUser', UserRemoved['data']>
type UserCommand = ConfigureUser | AddUser | ChangePassword | RemoveUser

export function userStream(workspaceId: WorkspaceId, userId: string): string {
  return `user-${workspaceId}-${userId}`
}

const configure = (data: UserConfigured['data'], state: UserState): readonly UserEvent[] =>
  sameJson(data, state) ? [] : [{ type: 'UserConfigured', data }]

const decide = (command: UserCommand, state: UserState): readonly UserEvent[] => {
  switch (command.type) {
    case 'ConfigureUser':
      return configure(command.data, state)
    case 'AddUser':
      if (state !== null && !sameJson(command.data, state)) throw new Refused('user_exists')
      return configure(command.data, state)
    case 'ChangePassword':
      if (state === null) throw new Refused('user_not_found')
      return configure({ ...state, passwordHash: command.data.passwordHash }, state)
    case 'RemoveUser':
      return state === null ? [] : [{ type: 'UserRemoved', data: command.data }]
    default:
      return command satisfies never
  }
}

const evolve = (_: UserState, event: UserEvent): UserState => (event.type === 'UserConfigured' ? event.data : null)

/** A person who works with a workspace (N442). */
export const user: Decider<UserCommand, UserEvent, UserState> = { decide, evolve, initialState: null }

/** Whether the user may manage API keys (N442). */
export function managesApiKeys(role: UserRole): boolean {
  return role === 'owner' || role === 'admin'
}
