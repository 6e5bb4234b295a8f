export { projections } from './projections.ts'
export { type Projectors, type ProjectorsOptions, projectionNamed, startProjectors } from './start-projectors.ts'
