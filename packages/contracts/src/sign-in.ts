import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { EmailLookup, oneOf, text, Uuid, verbatim } from './kinds.ts'

const credentials = Type.Object({
  email: EmailLookup,
  password: verbatim(1_024, { notEmpty: true }),
  workspace: Type.Optional(text(24, { notEmpty: true })),
})

/** `POST /auth/login`. `workspace`: the slug, for an address that is a user of several. */
export const LoginBody = described(credentials, {
  name: 'LoginBody',
  about: 'Who signs in, and where.',
  fields: {
    email: 'The address of the user.',
    password: 'The password of the user.',
    workspace: 'The slug of the workspace; needed where the address is a user of several.',
  },
  example: { email: 'owner@acme.example', password: 'correct horse battery staple', workspace: 'acme' },
})

/** `POST /auth/link`. */
export const LinkBody = described(Type.Object({ token: verbatim(1_024, { notEmpty: true }) }), {
  name: 'LinkBody',
  about: 'The link that signs in.',
  fields: { token: 'What stands behind `#` in the link.' },
  example: { token: 'pU9mXyQz3cT0a7rJ2wLkHb5vN8sE1dGfKiRoYtMxC4A' },
})

const SignedInUser = described(
  Type.Object({
    id: Uuid,
    email: Type.String(),
    role: named('UserRole', oneOf('owner', 'admin', 'member', 'operator'), 'What a user may do.'),
  }),
  {
    name: 'SignedInUser',
    about: 'A user of the workspace, or of the installation.',
    fields: {
      id: 'The UUID of the user.',
      email: 'The address of the user.',
      role: 'Owners and admins manage API keys; `operator` is a user of the installation.',
    },
  },
)

const SignedInWorkspace = described(Type.Object({ id: Uuid, slug: Type.String() }), {
  name: 'SignedInWorkspace',
  about: 'The workspace that the user signed in to.',
  fields: { id: 'The UUID of the workspace.', slug: 'The public name of the workspace.' },
})

/** The signed-in user and their workspace. */
export const SignedIn = described(
  Type.Object({
    user: SignedInUser,
    workspace: Type.Union([SignedInWorkspace, Type.Null()]),
    operator: Type.Optional(Type.Literal(true)),
  }),
  {
    name: 'SignedIn',
    about: 'Who is signed in, and to which workspace.',
    fields: {
      user: 'Who is signed in.',
      workspace: 'The workspace of the session; null of a user of the installation.',
      operator: 'The session is an operator’s: it may act on any workspace. Left out where it is not.',
    },
    example: {
      user: { id: exampleIds.user, email: 'owner@acme.example', role: 'owner' },
      workspace: { id: exampleIds.workspace, slug: 'acme' },
    },
  },
)
export type SignedIn = Static<typeof SignedIn>
