import { getCompileCacheDir } from 'node:module'
import { Worker } from 'node:worker_threads'
import type { Answered, JobRequest } from './serve-jobs.ts'
import { threadHeap } from './thread-heap.ts'

/** A thread ended that was not asked to: it ran out of memory, or its module failed. What it was at is not done. */
export class ThreadEnded extends Error {
  override readonly name = 'ThreadEnded'
}

/** One thread. `jobs` counts those that are not done, `load` also those that failed since the last that did not. `run` rejects with `ThreadEnded`, or with what the thread says of the job. */
export type Thread<Job, Result> = Readonly<{
  jobs: () => number
  load: () => number
  run: (job: Job) => Promise<Result>
  end: () => Promise<void>
}>

export type ThreadOptions = Readonly<{
  /** Calls `serveJobs`. */
  module: URL
  /** The data that `serveJobs` gets: anything that can be cloned. */
  data: unknown
}>

/** Threads take over the compile cache of the command line: without it each start costs 0.5 s of CPU, with it 0.3. */
export function threadEnvironment(): NodeJS.ProcessEnv {
  const cache = getCompileCacheDir()
  return cache === undefined ? process.env : { ...process.env, NODE_COMPILE_CACHE: cache }
}

const HEAP = { least: 256, young: [32, 96] } as const

/** One of `of` threads. */
export function startThread<Job, Result>({ module, data }: ThreadOptions, of: number): Thread<Job, Result> {
  const worker = new Worker(module, { workerData: data, resourceLimits: threadHeap({ of, ...HEAP }), env: threadEnvironment() })
  const jobs = new Map<number, PromiseWithResolvers<Result>>()
  let started = 0
  let failures = 0
  let ended: ThreadEnded | null = null
  const onEnd = (why: string): void => {
    ended ??= new ThreadEnded(`a thread ended: ${why}`)
    for (const { reject } of jobs.values()) reject(ended)
    jobs.clear()
  }
  worker.on('message', (answered: Answered<Result>) => {
    const job = jobs.get(answered.id)
    jobs.delete(answered.id)
    failures = 'result' in answered ? 0 : failures + 1
    if ('result' in answered) job?.resolve(answered.result)
    else job?.reject(new Error(answered.failure))
  })
  worker.on('error', (error: unknown) => onEnd(error instanceof Error ? error.message : String(error)))
  worker.on('exit', (code) => onEnd(`exit code ${code}`))
  return {
    jobs: () => jobs.size,
    load: () => jobs.size + failures,
    run: (job) => {
      if (ended !== null) return Promise.reject(ended)
      const running = Promise.withResolvers<Result>()
      const id = started++
      jobs.set(id, running)
      worker.postMessage({ id, job } satisfies JobRequest<Job>)
      return running.promise
    },
    end: async () => void (await worker.terminate()),
  }
}
