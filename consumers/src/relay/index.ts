export { startRelay } from './start-relay.ts'
