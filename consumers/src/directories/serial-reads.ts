/** Runs `read` under its key, one read of a key at a time. */
export type SerialReads<T> = (key: string, read: () => Promise<T>) => Promise<T>

type Next<T> = PromiseWithResolvers<T> & Readonly<{ read: () => Promise<T>; timer: NodeJS.Timeout }>
type Line<T> = { next: Next<T> | undefined }

/** How long a read that stalls, on a connection that is lost without a word, may keep the next one waiting. */
const STALLED_MS = 5_000

/**
 * All who ask while a read runs share the read after it: the running one may have looked before they asked. So answers about one key
 * come in the order in which they were read, and an outage costs one read at a time, however many ask. Only a read that stalls is
 * superseded: then the next one runs beside it, and may end before it.
 */
export const createSerialReads = <T>(): SerialReads<T> => {
  const lines = new Map<string, Line<T>>()

  const run = async (key: string, line: Line<T>, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } finally {
      runNext(key, line)
    }
  }

  const runNext = (key: string, line: Line<T>): void => {
    // Another line has the key where this one was superseded.
    if (lines.get(key) !== line) return
    const { next } = line
    if (next === undefined) {
      lines.delete(key)
      return
    }
    clearTimeout(next.timer)
    begin(key, next.read).then(next.resolve, next.reject)
  }

  const begin = (key: string, read: () => Promise<T>): Promise<T> => {
    const line: Line<T> = { next: undefined }
    lines.set(key, line)
    return run(key, line, read)
  }

  return (key, read) => {
    const line = lines.get(key)
    if (line === undefined) return begin(key, read)
    line.next ??= { ...Promise.withResolvers<T>(), read, timer: setTimeout(() => runNext(key, line), STALLED_MS).unref() }
    return line.next.promise
  }
}
