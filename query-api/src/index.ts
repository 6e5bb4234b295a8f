export { queryApi } from './query-api.ts'
