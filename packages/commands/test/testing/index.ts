export * from './context-of.ts'
export { type Gate, type ModelLog, modelLog } from './model-log.ts'
