import { type Static, Type } from '@sinclair/typebox'
import { EmailAddress, EmailLookup, oneOf, Uuid, withRule } from './kinds.ts'
import { pageOf } from './pagination.ts'

const { Optional } = Type

/** `profiles`: how many members the list has. */
export const List = Type.Object({ id: Uuid, name: Type.String(), type: oneOf('static', 'dynamic'), profiles: Type.Integer() })
export type List = Static<typeof List>

export const ListPage = pageOf(List)

const contactIds = Optional(Type.Array(Uuid, { maxItems: 100 }))

type Named = Readonly<{ email?: string; emails?: readonly string[]; contactIds?: readonly string[] }>

const namesNoContact = ({ email, emails = [], contactIds = [] }: Named): boolean =>
  email === undefined && emails.length === 0 && contactIds.length === 0

/** An unknown email makes a contact, so each must be a valid address. */
export const AddMembersBody = withRule(
  Type.Object({ emails: Optional(Type.Array(EmailAddress, { maxItems: 100 })), contactIds }),
  (body: Named) => (namesNoContact(body) ? 'emails or contactIds is required' : undefined),
)
export type AddMembersBody = Static<typeof AddMembersBody>

/** Unknown emails are skipped. */
export const RemoveMembersBody = withRule(
  Type.Object({ email: Optional(EmailLookup), emails: Optional(Type.Array(EmailLookup, { maxItems: 100 })), contactIds }),
  (body: Named) => (namesNoContact(body) ? 'email, emails or contactIds is required' : undefined),
)
export type RemoveMembersBody = Static<typeof RemoveMembersBody>

export const MemberParams = Type.Object({ id: Uuid, contactId: Uuid })

/** `count`: all members after the call, in each of the three. */
export const MembersAdded = Type.Object({ added: Type.Integer(), count: Type.Integer() })
export const MembersRemoved = Type.Object({ removed: Type.Integer(), count: Type.Integer() })
export const MembersCount = Type.Object({ count: Type.Integer() })
