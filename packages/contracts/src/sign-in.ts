import { type Static, Type } from '@sinclair/typebox'
import { EmailLookup, oneOf, text, Uuid } from './kinds.ts'

/** `POST /auth/login`. `workspace`: the slug, for an address that is a user of several. */
export const LoginBody = Type.Object({
  email: EmailLookup,
  password: text(1_024, { notEmpty: true }),
  workspace: Type.Optional(text(24, { notEmpty: true })),
})

/** Who is signed in, and to which workspace. */
export const SignedIn = Type.Object({
  user: Type.Object({ id: Uuid, email: Type.String(), role: oneOf('owner', 'admin', 'member') }),
  workspace: Type.Object({ id: Uuid, slug: Type.String() }),
})
export type SignedIn = Static<typeof SignedIn>
