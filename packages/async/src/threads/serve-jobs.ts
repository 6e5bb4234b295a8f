import { parentPort, workerData } from 'node:worker_threads'

/** A job on its way to a thread, and what came of it. `failure`: what the error says; its class does not travel. */
export type JobRequest<Job> = Readonly<{ id: number; job: Job }>
export type Answered<Result> = Readonly<{ id: number; result: Result } | { id: number; failure: string }>

/** A buffer of its own is handed over, one that is a part of another is copied. */
const handedOver = (result: object): readonly ArrayBuffer[] =>
  Object.values(result).flatMap((value: unknown) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : [],
  )

/** An opening that waits for a silent server takes 5 s. */
const OPEN_AGAIN_MS = 30_000

/**
 * The module of a thread of `inThreads` calls it, once. `open` gets the thread's data and answers what does one job; jobs overlap. The thread is
 * ended from outside, at any moment.
 */
export function serveJobs<Data, Job, Result extends object>(open: (data: Data) => Promise<(job: Job) => Promise<Result>>): void {
  const port = parentPort
  if (port === null) throw new Error('this module is started as a thread')
  let opened: Promise<(job: Job) => Promise<Result>> | null = null
  let openAgainAt = 0
  // State that failed to open, because a server was away or full, is opened again for a job that comes later; those until then fail at once.
  const opening = (): Promise<(job: Job) => Promise<Result>> => {
    if (opened !== null && performance.now() < openAgainAt) return opened
    openAgainAt = Number.POSITIVE_INFINITY
    opened = open(workerData as Data).catch((error: unknown) => {
      openAgainAt = performance.now() + OPEN_AGAIN_MS
      throw error
    })
    return opened
  }
  const answer = async ({ id, job }: JobRequest<Job>): Promise<void> => {
    try {
      const result = await (await opening())(job)
      port.postMessage({ id, result } satisfies Answered<Result>, handedOver(result))
    } catch (error) {
      port.postMessage({ id, failure: String(error) } satisfies Answered<Result>)
    }
  }
  port.on('message', (asked: JobRequest<Job>) => void answer(asked))
}
