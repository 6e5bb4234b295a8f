export { isRequired, leftOut } from './left-out.ts'
export { startTestPostgres, type TestPostgres } from './postgres-server.ts'
export { stopWhileAway } from './stop-while-away.ts'
export { type TestDatabase, testDatabase } from './test-database.ts'
