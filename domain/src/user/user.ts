import type { Command, Decider } from '../kernel.ts'
import { sameJson } from '../values.ts'
import type { UserConfigured, UserEvent } from './user.events.ts'

/** Null while there is no such user. */
export type UserState = UserConfigured['data'] | null

/** Makes the user be as described. The id comes from workspace and email, so the email never changes. */
export type ConfigureUser = Command<'ConfigureUser', UserConfigured['data']>

export const userStream = (workspaceId: string, userId: string): string => `user-${workspaceId}-${userId}`

const decide = ({ data }: ConfigureUser, state: UserState): readonly UserEvent[] =>
  sameJson(data, state) ? [] : [{ type: 'UserConfigured', data }]

const evolve = (_: UserState, { data }: UserEvent): UserState => data

/** Somebody who works with a workspace (N442). */
export const user: Decider<ConfigureUser, UserEvent, UserState> = { decide, evolve, initialState: null }
