export * from './errors.ts'

export { NOTHING_SEEN, type SeenPosition } from './last-seen.ts'
export * from './port.ts'

export { type LogRange, rangesOf, readRange } from './ranges.ts'
