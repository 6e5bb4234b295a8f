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

const SignedInUser = described(
  Type.Object({ id: Uuid, email: Type.String(), role: named('UserRole', oneOf('owner', 'admin', 'member'), 'What a user may do.') }),
  {
    name: 'SignedInUser',
    about: 'A user of the workspace.',
    fields: { id: 'The UUID of the user.', email: 'The address of the user.', role: 'Owners and admins manage API keys.' },
  },
)

const SignedInWorkspace = described(Type.Object({ id: Uuid, slug: Type.String() }), {
  name: 'SignedInWorkspace',
  about: 'The workspace that the user signed in to.',
  fields: { id: 'The UUID of the workspace.', slug: 'The public name of the workspace.' },
})

/** The signed-in user and their workspace. */
export const SignedIn = described(Type.Object({ user: SignedInUser, workspace: SignedInWorkspace }), {
  name: 'SignedIn',
  about: 'Who is signed in, and to which workspace.',
  fields: { user: 'Who is signed in.', workspace: 'The workspace of the session.' },
  example: {
    user: { id: exampleIds.user, email: 'owner@acme.example', role: 'owner' },
    workspace: { id: exampleIds.workspace, slug: 'acme' },
  },
})
export type SignedIn = Static<typeof SignedIn>
