export { createLog, type Log, type LogSettings, logTo } from './log.ts'
export { withoutCredentials } from './redaction.ts'
