export { startTestPostgres, type TestPostgres } from './postgres-server.ts'
export { type TestDatabase, testDatabase } from './test-database.ts'
