import type { Event, EventDeclarations } from '../kernel.ts'

export const USER_ROLES = ['owner', 'admin', 'member'] as const
export type UserRole = (typeof USER_ROLES)[number]

// Stored for ever: change only together with an upcast.
/** What holds for the user now, as a whole. `passwordHash` says how it was made; the password itself is stored nowhere. */
export type UserConfigured = Event<'UserConfigured', { userId: string; email: string; passwordHash: string; role: UserRole }>
export type UserEvent = UserConfigured

export const userSubject = ({ userId }: Readonly<{ userId: string }>): string => `user:${userId}`

export const userDeclarations = {
  UserConfigured: { version: 1, personal: { subject: userSubject, fields: ['email', 'passwordHash'] } },
} satisfies EventDeclarations & Record<UserEvent['type'], unknown>
