export { foldAll } from './fold-all.ts'
export { partsHere } from './parts-here.ts'
