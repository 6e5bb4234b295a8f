export { commandApi } from './command-api.ts'
export type { Dependencies as CommandApiDependencies } from './dependencies.ts'
export { mailLinks } from './mail-links/mail-links.ts'
export { devOutbox } from './outbox/dev-outbox.ts'
