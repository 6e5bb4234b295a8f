import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { EmailLookup, IdParams, oneOf, Timestamp, Uuid } from './kinds.ts'

// What only the dashboard asks for about the users of a workspace.

const role = named('PersonRole', oneOf('owner', 'admin', 'member'), 'What a user of the workspace may do.')

export const PersonParams = IdParams

export const Person = described(Type.Object({ id: Uuid, email: Type.String(), role }), {
  name: 'Person',
  about: 'A user of the workspace.',
  fields: { id: 'The UUID of the user.', email: 'The address that the user signs in with.', role: 'What the user may do.' },
})

export const ListedPerson = described(Type.Object({ ...Person.properties, createdAt: Timestamp }), {
  name: 'ListedPerson',
  about: 'A user of the workspace, in the list.',
  fields: {
    id: 'The UUID of the user.',
    email: 'The address that the user signs in with.',
    role: 'What the user may do.',
    createdAt: 'When the user was added.',
  },
})
export type ListedPerson = Static<typeof ListedPerson>

export const People = described(Type.Object({ items: Type.Array(ListedPerson) }), {
  name: 'People',
  about: 'Who may sign in to the workspace.',
  fields: { items: 'The users, by address.' },
})

export const SignInLink = described(Type.Object({ url: Type.String(), expiresAt: Timestamp }), {
  name: 'SignInLink',
  about: 'A link that signs in once.',
  fields: { url: 'The address to open.', expiresAt: 'When it ends.' },
})
export type SignInLink = Static<typeof SignInLink>

export const InvitePersonBody = described(Type.Object({ email: EmailLookup, role }), {
  name: 'InvitePersonBody',
  about: 'Who is to sign in, and what they may do.',
  fields: { email: 'The address of the person.', role: 'What the person may do.' },
  example: { email: 'ada@acme.example', role: 'admin' },
})

export const InvitedPerson = described(Type.Object({ ...ListedPerson.properties, link: SignInLink }), {
  name: 'InvitedPerson',
  about: 'A new user, and the link of the invitation, which is shown this once.',
  fields: {
    id: 'The UUID of the user.',
    email: 'The address that the user signs in with.',
    role: 'What the user may do.',
    createdAt: 'When the user was added.',
    link: 'The link of the invitation.',
  },
  example: {
    ...{ id: exampleIds.user, email: 'ada@acme.example', role: 'admin' as const, createdAt: exampleTime },
    link: { url: 'https://tidings.example/dashboard/link#pU9mXyQz3cT0a7rJ2wLkHb5vN8sE1dGfKiRoYtMxC4A', expiresAt: exampleTime },
  },
})
export type InvitedPerson = Static<typeof InvitedPerson>

export const ChangeRoleBody = described(Type.Object({ role }), {
  name: 'ChangeRoleBody',
  about: 'What a user may do from now on.',
  fields: { role: 'What the user may do.' },
  example: { role: 'member' },
})
