export * from './errors.ts'
export * from './port.ts'
export { type Drop, type SupervisorOptions, supervise } from './supervisor.ts'
export { createTail, type Tail, type TailOptions } from './tail/tail.ts'
