export { exportLog } from './export-log.ts'
export type { Format, Selection } from './selection.ts'
