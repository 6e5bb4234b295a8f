export * from './event-log.ts'
