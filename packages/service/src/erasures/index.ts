export { keptTexts } from '../command-side/kept-texts.ts'
export { erasePerson } from './erase-person.ts'
