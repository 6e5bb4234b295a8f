export * from './event-log.ts'
export { eventId, uuidv5, uuidv7 } from './ids.ts'
