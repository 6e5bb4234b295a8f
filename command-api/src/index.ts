export { commandApi } from './command-api.ts'
export type { Dependencies as CommandApiDependencies } from './dependencies.ts'
export { devOutbox } from './outbox/dev-outbox.ts'
