export type { ResolvedContact } from './requests.ts'
export { createUniqueContacts, type UniqueContacts } from './unique-contacts.ts'
