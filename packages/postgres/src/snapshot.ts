import { AsyncLocalStorage } from 'node:async_hooks'
import type { PoolClient } from 'pg'

/** Where the statements of some work go; nothing is opened before the first of them asks. */
export type Snapshot = Readonly<{ connect: () => Promise<PoolClient> }>

const current = new AsyncLocalStorage<Snapshot>()

/** Everything that the work reads through a pool that looks here, however deep, is of this snapshot. */
export function inSnapshot<Result>(snapshot: Snapshot, work: () => Promise<Result>): Promise<Result> {
  return current.run(snapshot, work)
}

/** The snapshot of the work that is running. What it reads must not be shared with other work, which may have begun later. */
export function currentSnapshot(): Snapshot | undefined {
  return current.getStore()
}
