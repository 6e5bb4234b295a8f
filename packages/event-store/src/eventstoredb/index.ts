export { InvalidConnectionString, parseConnectionString } from './connection-string.ts'
export { type EventStoreDb, type EventStoreDbSettings, eventStoreDbStore } from './eventstoredb-store.ts'
export { tlsHint } from './tls-hint.ts'
