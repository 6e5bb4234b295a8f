export { AddressTaken } from './address-taken.ts'
export type { NewContact } from './new-contact.ts'
export type { ResolvedContact } from './requests.ts'
export { createUniqueContacts, type UniqueContacts } from './unique-contacts.ts'
