export * from './event-log.ts'
export { uuidv5, uuidv7 } from './ids.ts'
