/** Runs `read` under its key, one read of a key at a time. */
export type SerialReads<T> = (key: string, read: () => Promise<T>) => Promise<T>

type Next<T> = PromiseWithResolvers<T> & Readonly<{ read: () => Promise<T> }>
type Line<T> = { next: Next<T> | undefined }

/**
 * All who ask while a read runs share the read after it: the running one may have looked before they asked. So answers about one key
 * come in the order in which they were read, and an outage costs one read at a time, however many ask.
 */
export const createSerialReads = <T>(): SerialReads<T> => {
  const lines = new Map<string, Line<T>>()

  const run = async (key: string, line: Line<T>, read: () => Promise<T>): Promise<T> => {
    try {
      return await read()
    } finally {
      const { next } = line
      line.next = undefined
      if (next === undefined) lines.delete(key)
      else run(key, line, next.read).then(next.resolve, next.reject)
    }
  }

  return (key, read) => {
    const line = lines.get(key)
    if (line !== undefined) {
      line.next ??= { ...Promise.withResolvers<T>(), read }
      return line.next.promise
    }
    const first: Line<T> = { next: undefined }
    lines.set(key, first)
    return run(key, first, read)
  }
}
