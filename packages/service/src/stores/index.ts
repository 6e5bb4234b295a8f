export { connectDatabase } from './database.ts'
export { openPools } from './pools.ts'
export { migrateSchema } from './schema-version.ts'
export { openStores, type Stores } from './stores.ts'
