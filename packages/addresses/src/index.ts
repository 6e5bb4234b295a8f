export { isCountry } from './calling-codes.ts'
export { isValidEmail, normalizeEmail } from './email.ts'
export { normalizeMobilePhone } from './mobile-phone.ts'
export { normalizePhone } from './phone.ts'
