export * from './errors.ts'
export { lagSecondsAfter, secondsSince } from './lag.ts'
export { NOTHING_SEEN, type Seen } from './last-seen.ts'
export * from './port.ts'
