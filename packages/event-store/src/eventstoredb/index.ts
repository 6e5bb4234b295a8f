export { InvalidConnectionString, parseConnectionString } from './connection-string.ts'
export { type EventStoreDbSettings, eventStoreDbStore } from './eventstoredb-store.ts'
