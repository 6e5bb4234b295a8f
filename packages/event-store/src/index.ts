export * from './errors.ts'
export * from './port.ts'
