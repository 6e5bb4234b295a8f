export { InvalidConnectionString, parseConnectionString } from './connection-string.ts'
export { eventStoreDbStore } from './eventstoredb-store.ts'
export { tlsHint } from './tls-hint.ts'
