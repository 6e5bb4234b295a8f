export * from './command-runner.ts'
export * from './errors.ts'
export type * from './execution.ts'
export type { Pace } from './pace.ts'
