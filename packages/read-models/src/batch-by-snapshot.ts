import { type BatchLoader, type BatchLoaderOptions, createBatchLoader, weakMemo } from '@tidings/async'
import { currentSnapshot, type Snapshot } from '@tidings/postgres'

/** A batch loader for each snapshot, and one for what is asked outside of any: the snapshot of another caller may be older than a call. */
export function batchBySnapshot<K, A, R>(options: BatchLoaderOptions<K, A, R>): BatchLoader<K, R> {
  const outside = createBatchLoader(options)
  const inside = weakMemo((_: Snapshot) => createBatchLoader(options))
  return (key) => {
    const snapshot = currentSnapshot()
    return snapshot === undefined ? outside(key) : inside(snapshot)(key)
  }
}
