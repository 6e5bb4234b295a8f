export { counter, gauge, histogram, metrics, observe, type Sample } from './metrics.ts'
export { sharedRead } from './shared-read.ts'
