import { parentPort, workerData } from 'node:worker_threads'

/** A job on its way to a thread, and what came of it. `failure`: what the error says; its class does not travel. */
export type Asked<Job> = Readonly<{ id: number; job: Job }>
export type Answered<Result> = Readonly<{ id: number; result: Result } | { id: number; failure: string }>

/** A buffer of its own is handed over, one that is a part of another is copied. */
const handedOver = (result: object): readonly ArrayBuffer[] =>
  Object.values(result).flatMap((value: unknown) =>
    value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength
      ? [value.buffer]
      : [],
  )

/**
 * The module of a thread of `inThreads` calls it, once. `open` gets the thread's data and answers what does one job; jobs overlap. The thread is
 * ended from outside, at any moment.
 */
export function serveJobs<Data, Job, Result extends object>(open: (data: Data) => Promise<(job: Job) => Promise<Result>>): void {
  const port = parentPort
  if (port === null) throw new Error('this module is started as a thread')
  let opened: Promise<(job: Job) => Promise<Result>> | null = null
  // What failed to open, because a server was away or full, is opened again for the next job.
  const opening = (): Promise<(job: Job) => Promise<Result>> => {
    opened ??= open(workerData as Data).catch((error: unknown) => {
      opened = null
      throw error
    })
    return opened
  }
  const answer = async ({ id, job }: Asked<Job>): Promise<void> => {
    try {
      const result = await (await opening())(job)
      port.postMessage({ id, result } satisfies Answered<Result>, handedOver(result))
    } catch (error) {
      port.postMessage({ id, failure: String(error) } satisfies Answered<Result>)
    }
  }
  port.on('message', (asked: Asked<Job>) => void answer(asked))
}
