export { isCountry } from './calling-codes.ts'
export { EMAIL_MAX_LENGTH, isValidEmail, normalizeEmail } from './email.ts'
export { normalizePhone } from './phone.ts'
