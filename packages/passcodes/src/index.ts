export { createPasscodes, type Passcodes } from './create-passcodes.ts'
export { passcodeRetention } from './retention.ts'
export { PASSCODE_LIFETIME_S } from './send-passcode.ts'
export { spokenLanguage } from './spoken-language.ts'
