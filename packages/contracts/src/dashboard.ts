import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds, exampleTime } from './examples.ts'
import { EmailLookup, IdParams, oneOf, Timestamp, Uuid } from './kinds.ts'

// What only the dashboard asks for about the users of a workspace.

const language = named('MailLanguage', oneOf('en', 'he'), 'The language that the mail is written in; `en` by default.')

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

const SignInLink = described(Type.Object({ url: Type.String(), expiresAt: Timestamp }), {
  name: 'SignInLink',
  about: 'A link that signs in once.',
  fields: { url: 'The address to open.', expiresAt: 'When it ends.' },
})

const NotMailed = described(
  Type.Object({
    code: oneOf('mail_stays_here', 'operator_address_missing', 'link_mails_capped', 'mailbox_capped'),
    message: Type.String(),
  }),
  {
    name: 'NotMailed',
    about: 'Why no mail with a link is on its way.',
    fields: { code: 'The reason, for programs.', message: 'The same in a sentence.' },
    example: {
      code: 'link_mails_capped' as const,
      message: 'The workspace has mailed fifty links in a day: pass the link on yourself, or make another tomorrow',
    },
  },
)

const mail = { mailed: Type.Boolean(), notMailed: Type.Union([NotMailed, Type.Null()]) }
const mailSaid = {
  mailed: 'Whether a mail with a link of its own is on its way to the user. Both links sign in.',
  notMailed: 'Why there is no mail; null where there is one.',
}

export const LinkQuery = described(Type.Object({ language: Type.Optional(language) }), {
  name: 'LinkQuery',
  about: 'How the mail with the link is written.',
  fields: { language: 'The language of the mail.' },
})

export const MadeLink = described(Type.Object({ ...SignInLink.properties, ...mail }), {
  name: 'MadeLink',
  about: 'A link that signs in once, shown this once.',
  fields: { url: 'The address to open.', expiresAt: 'When it ends.', ...mailSaid },
})
export type MadeLink = Static<typeof MadeLink>

export const InvitePersonBody = described(Type.Object({ email: EmailLookup, role, language: Type.Optional(language) }), {
  name: 'InvitePersonBody',
  about: 'Who is to sign in, and what they may do.',
  fields: { email: 'The address of the person.', role: 'What the person may do.', language: 'The language of the mail.' },
  example: { email: 'ada@acme.example', role: 'admin', language: 'en' },
})

export const InvitedPerson = described(Type.Object({ ...ListedPerson.properties, link: SignInLink, ...mail }), {
  name: 'InvitedPerson',
  about: 'A new user, and the link of the invitation, which is shown this once.',
  fields: {
    id: 'The UUID of the user.',
    email: 'The address that the user signs in with.',
    role: 'What the user may do.',
    createdAt: 'When the user was added.',
    link: 'The link of the invitation.',
    ...mailSaid,
  },
  example: {
    ...{ id: exampleIds.user, email: 'ada@acme.example', role: 'admin' as const, createdAt: exampleTime },
    link: { url: 'https://tidings.example/dashboard/link#pU9mXyQz3cT0a7rJ2wLkHb5vN8sE1dGfKiRoYtMxC4A', expiresAt: exampleTime },
    ...{ mailed: true, notMailed: null },
  },
})
export type InvitedPerson = Static<typeof InvitedPerson>

export const ChangeRoleBody = described(Type.Object({ role }), {
  name: 'ChangeRoleBody',
  about: 'What a user may do from now on.',
  fields: { role: 'What the user may do.' },
  example: { role: 'member' },
})
