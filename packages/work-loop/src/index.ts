export type { Settlements } from './settlements.ts'
export { createWorkLoop, type WorkQueue } from './work-loop.ts'
