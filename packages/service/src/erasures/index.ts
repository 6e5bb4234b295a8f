export { type ErasedPerson, erasePerson } from './erase-person.ts'
