export { contactIdFor } from './address-claims.ts'
export { AddressTaken } from './address-taken.ts'
export { createUniqueContacts, type UniqueContacts } from './unique-contacts.ts'
