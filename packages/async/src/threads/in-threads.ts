import { onAbort } from '../abort.ts'
import { startThread, type Thread, ThreadEnded, type ThreadOptions } from './thread.ts'

export type InThreads<Job, Result> = ThreadOptions &
  Readonly<{
    /** The most threads; no more are started than there is work for. With 1 none is started, and the work is done `here`. */
    threads: number
    /** The same work in this thread. What failed in another is done here again: so errors are those of this thread, and what can be repeated is. */
    here: (job: Job) => Promise<Result>
    signal?: AbortSignal | undefined
  }>

/** A thread's start costs more than it gains with fewer jobs. */
const FEWEST_JOBS = 10

/** One is worked on while what the other needs is on its way. */
const JOBS_A_THREAD = 2

/** A job, and what came of it. */
export type Done<Job, Result> = Readonly<{ job: Job; result: Result }>

type Running<Job, Result> = Readonly<{ job: Job; result: Promise<Result> }>

/** One that fails at all it is given is always idle: it is given the less. */
const mostIdle = <Job, Result>(threads: readonly Thread<Job, Result>[]): Thread<Job, Result> | undefined =>
  threads.toSorted((a, b) => a.load() - b.load())[0]

/**
 * Does the jobs in threads, and yields each with its result, in the order of the jobs; at most two jobs a thread are ahead of what was yielded. A job
 * that fails is done again `here`, in its place of the order. Throws `ThreadEnded` in the place of what a thread was at when it died, and the
 * signal's reason when it aborts. The threads have ended when this has.
 */
export async function* inThreads<Job, Result>(
  jobs: readonly Job[],
  options: InThreads<Job, Result>,
): AsyncGenerator<Done<Job, Result>, void, undefined> {
  const { here, signal } = options
  const count = Math.max(1, Math.min(options.threads, Math.floor(jobs.length / FEWEST_JOBS)))
  const threads = count > 1 ? Array.from({ length: count }, () => startThread<Job, Result>(options, count)) : []
  const end = (): Promise<unknown> => Promise.all(threads.map((thread) => thread.end()))
  const left = jobs.values()
  const running: Running<Job, Result>[] = []
  const fill = (): void => {
    while (running.length < count * JOBS_A_THREAD) {
      const thread = mostIdle(threads)
      // The others fail, and would all the same.
      if (thread !== undefined && thread.jobs() >= JOBS_A_THREAD) return
      const next = left.next()
      if (next.done === true) return
      const result = thread?.run(next.value) ?? here(next.value)
      result.catch(() => undefined) // thrown in its place of the order
      running.push({ job: next.value, result })
    }
  }
  const again = async (job: Job, error: unknown): Promise<Result> => {
    signal?.throwIfAborted()
    if (threads.length === 0 || error instanceof ThreadEnded) throw error
    return await here(job)
  }
  const removeAbort = signal === undefined ? () => undefined : onAbort(signal, () => void end())
  try {
    for (fill(); ; fill()) {
      const next = running.shift()
      if (next === undefined) return
      const { job } = next
      yield { job, result: await next.result.catch((error: unknown) => again(job, error)) }
    }
  } finally {
    removeAbort()
    await end()
  }
}
