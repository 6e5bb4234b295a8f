export { commandApi } from './command-api.ts'
export type { Dependencies as CommandApiDependencies } from './dependencies.ts'
