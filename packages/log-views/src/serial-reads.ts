/** Runs `read` under its key, one read of a key at a time. */
export type SerialReads<T> = (key: string, read: () => Promise<T>) => Promise<T>

type NextRead<T> = PromiseWithResolvers<T> & Readonly<{ read: () => Promise<T>; timer: NodeJS.Timeout }>
type Queue<T> = { next: NextRead<T> | undefined }

/** How long a read that stalls, on a connection that is silently lost, may delay the next one. */
const STALLED_MS = 5_000

/**
 * Callers that ask while a read runs share the read after it: the running one may have looked before they asked. So the answers about one
 * key come in the order in which they were read, and an outage costs one read at a time, however many ask. Only a read that stalls is
 * superseded: then the next one runs beside it, and may end before it.
 */
export function createSerialReads<T>(): SerialReads<T> {
  const queues = new Map<string, Queue<T>>()

  const run = async (key: string, queue: Queue<T>, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } finally {
      runNext(key, queue)
    }
  }

  const runNext = (key: string, queue: Queue<T>): void => {
    // The key has another queue where this one was superseded.
    if (queues.get(key) !== queue) return
    const { next } = queue
    if (next === undefined) {
      queues.delete(key)
      return
    }
    clearTimeout(next.timer)
    begin(key, next.read).then(next.resolve, next.reject)
  }

  const begin = (key: string, read: () => Promise<T>): Promise<T> => {
    const queue: Queue<T> = { next: undefined }
    queues.set(key, queue)
    return run(key, queue, read)
  }

  return (key, read) => {
    const queue = queues.get(key)
    if (queue === undefined) return begin(key, read)
    queue.next ??= { ...Promise.withResolvers<T>(), read, timer: setTimeout(() => runNext(key, queue), STALLED_MS).unref() }
    return queue.next.promise
  }
}
