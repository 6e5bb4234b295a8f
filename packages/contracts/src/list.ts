import { type Static, Type } from '@sinclair/typebox'
import { described, named } from './described.ts'
import { exampleIds } from './examples.ts'
import { ContactUuid, EmailAddress, EmailLookup, ListUuid, oneOf, Uuid, withRule } from './kinds.ts'
import { pageOf } from './pagination.ts'

const { Optional } = Type

const ListType = named('ListType', oneOf('static', 'dynamic'), 'Whether members are added one by one, or by a rule.')

/** `profiles`: how many members the list has. */
export const List = described(Type.Object({ id: Uuid, name: Type.String(), type: ListType, profiles: Type.Integer() }), {
  name: 'List',
  about: 'A list of contacts, also called a segment.',
  fields: {
    id: 'The UUID of the list.',
    name: 'The name of the list.',
    type: 'Only the members of a `static` list can be changed.',
    profiles: 'How many members the list has; a cached count.',
  },
  example: { id: exampleIds.list, name: 'Newsletter', type: 'static', profiles: 1 },
})
export type List = Static<typeof List>

export const ListPage = pageOf(List)

const contactIds = Optional(Type.Array(ContactUuid, { maxItems: 100 }))

type NamedMembers = Readonly<{ email?: string; emails?: readonly string[]; contactIds?: readonly string[] }>

const namesNoContact = ({ email, emails = [], contactIds = [] }: NamedMembers): boolean =>
  email === undefined && emails.length === 0 && contactIds.length === 0

/** An unknown email makes a contact, so each must be a valid address. */
export const AddMembersBody = withRule(
  described(Type.Object({ emails: Optional(Type.Array(EmailAddress, { maxItems: 100 })), contactIds }), {
    name: 'AddMembersBody',
    about: 'Contacts to put on a list; at least one.',
    fields: { emails: 'Addresses; an unknown one makes a contact.', contactIds: 'UUIDs of existing contacts.' },
    example: { emails: ['ada@example.com'] },
  }),
  (body: NamedMembers) => (namesNoContact(body) ? 'emails or contactIds is required' : undefined),
)
export type AddMembersBody = Static<typeof AddMembersBody>

/** Unknown emails are skipped. */
export const RemoveMembersBody = withRule(
  described(Type.Object({ email: Optional(EmailLookup), emails: Optional(Type.Array(EmailLookup, { maxItems: 100 })), contactIds }), {
    name: 'RemoveMembersBody',
    about: 'Contacts to take off a list; at least one.',
    fields: { email: 'One address.', emails: 'Addresses; unknown ones are skipped.', contactIds: 'UUIDs of contacts.' },
    example: { emails: ['ada@example.com'] },
  }),
  (body: NamedMembers) => (namesNoContact(body) ? 'email, emails or contactIds is required' : undefined),
)
export type RemoveMembersBody = Static<typeof RemoveMembersBody>

export const MemberParams = described(Type.Object({ id: ListUuid, contactId: ContactUuid }), {
  fields: { id: 'The UUID of the list; any other text is 400.', contactId: 'The UUID of the contact; any other text is 400.' },
})

const count = 'How many members the list has after the call.'

/** `count`: all members after the call, in each of the three. */
export const MembersAdded = described(Type.Object({ added: Type.Integer(), count: Type.Integer() }), {
  name: 'MembersAdded',
  about: 'Members that were added.',
  fields: { added: 'How many contacts this call added.', count },
  example: { added: 1, count: 1 },
})
export const MembersRemoved = described(Type.Object({ removed: Type.Integer(), count: Type.Integer() }), {
  name: 'MembersRemoved',
  about: 'Members that were removed.',
  fields: { removed: 'How many contacts this call removed.', count },
  example: { removed: 1, count: 0 },
})
export const MembersCount = described(Type.Object({ count: Type.Integer() }), {
  name: 'MembersCount',
  about: 'The members of a list.',
  fields: { count },
  example: { count: 0 },
})
