import { type BatchLoader, type BatchLoaderOptions, createBatchLoader } from '@tidings/async'
import { currentSnapshot } from '@tidings/postgres'

/** A batch loader, in which a key that is asked for inside of a snapshot is loaded by itself: another caller's snapshot may be older than this call. */
export function batchOutsideSnapshots<K, A, R>(options: BatchLoaderOptions<K, A, R>): BatchLoader<K, R> {
  const ask = createBatchLoader(options)
  const askAlone = async (key: K): Promise<R> => options.pick(await options.load([key]), key)
  return (key) => (currentSnapshot() === undefined ? ask(key) : askAlone(key))
}
