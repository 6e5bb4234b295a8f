export { settingsOfEach, startProcesses } from './start-processes.ts'
export { isWorker, runAsWorker } from './worker.ts'
