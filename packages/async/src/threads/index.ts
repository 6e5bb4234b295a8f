export { inThreads } from './in-threads.ts'
export { serveJobs } from './serve-jobs.ts'
export { ThreadEnded } from './thread.ts'
export { threadCount } from './thread-count.ts'
