export { projections } from './projections.ts'
export { type Projectors, projectionNamed, startProjectors } from './start-projectors.ts'
