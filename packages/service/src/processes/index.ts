export { settingsOfEach } from './settings-of-each.ts'
export { startProcesses } from './start-processes.ts'
export { isWorker, runAsWorker } from './worker.ts'
