export { projections } from './projections.ts'
export { rebuildThreads } from './rebuild-threads.ts'
export { type Projectors, projectionNamed, startProjectors } from './start-projectors.ts'
