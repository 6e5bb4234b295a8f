export { projectionNamed } from '@tidings/projectors'
export { buildReadModels } from './build-read-models.ts'
export { settle } from './settle.ts'
export { untilVisible } from './until-visible.ts'
