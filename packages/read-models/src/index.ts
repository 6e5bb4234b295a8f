export * from './for-workspace.ts'
export * from './look-ups.ts'
export * from './tables.ts'
export * from './to-response.ts'
