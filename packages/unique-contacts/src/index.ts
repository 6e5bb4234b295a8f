export { createUniqueContacts, type UniqueContacts } from './unique-contacts.ts'
