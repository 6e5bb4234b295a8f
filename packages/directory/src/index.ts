export { type CachedDirectory, createDirectory } from './create-directory.ts'
export * from './directory.ts'
export { credentialsFromTables } from './tables/credentials-from-tables.ts'
export { workspaceIdOf } from './workspace-id.ts'
