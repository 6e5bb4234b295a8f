export type { Dependencies as QueryApiDependencies } from './dependencies.ts'
export { queryApi } from './query-api.ts'
