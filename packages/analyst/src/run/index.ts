export { loadFile } from './load-file.ts'
export { readRows } from './read-rows.ts'
export { type Ran, runProjection } from './run-projection.ts'
