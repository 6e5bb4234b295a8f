export { createLog, type Log, type Logger, logTo } from './log.ts'
