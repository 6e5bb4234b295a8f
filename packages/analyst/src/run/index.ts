export { loadFile, type ProjectionFile } from './load-file.ts'
export { type Ran, runProjection } from './run-projection.ts'
