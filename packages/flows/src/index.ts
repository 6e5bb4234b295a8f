export * from './cause.ts'
export * from './flow-entry.ts'
export * from './flow-view.ts'
