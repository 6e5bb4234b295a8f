export { discardLetter } from './discard-letter.ts'
