export { type Exported, exportLog } from './export-log.ts'
export { FORMATS, type Format, type Selection } from './selection.ts'
