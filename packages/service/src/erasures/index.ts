export { erasePerson } from './erase-person.ts'
