export { connectDatabase } from './connect-database.ts'
export { openPools } from './open-pools.ts'
export { openStores, type Stores } from './open-stores.ts'
export { migrateSchema } from './schema-version.ts'
