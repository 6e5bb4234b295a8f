export { type Caller, CallFailed, createCaller } from './caller.ts'
export { Blocked, createGuard, type Guard } from './guard.ts'
export { Unresolved } from './name-lookups.ts'
export { createServerResolver, createSystemResolver } from './resolvers.ts'
