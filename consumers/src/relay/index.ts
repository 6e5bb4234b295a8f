export { RELAYED_TYPES } from './relayed-types.ts'
export { startRelay } from './start-relay.ts'
