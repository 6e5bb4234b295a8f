export { createLog, type Log, logTo } from './log.ts'
