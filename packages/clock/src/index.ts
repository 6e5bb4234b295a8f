export { databaseNow, isoNow } from './database-now.ts'
export { followDatabaseClock } from './follow-database-clock.ts'
