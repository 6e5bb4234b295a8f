export { inThreads } from './in-threads.ts'
export { serveJobs } from './serve-jobs.ts'
export { ThreadEnded, threadEnvironment } from './thread.ts'
export { threadCount } from './thread-count.ts'
