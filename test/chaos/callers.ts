import { setTimeout as sleep } from 'node:timers/promises'

/** Longer than several kills in a row take on a busy machine; only a failing test reaches it. */
const TIMEOUT_MS = 300_000

/** Repeats a request until it is answered, which null is not: the process behind the gateway may be dead. */
export async function insist<T>(request: () => Promise<T | null>): Promise<T> {
  for (const deadline = performance.now() + TIMEOUT_MS; performance.now() < deadline; await sleep(150)) {
    const answer = await request().catch(() => null)
    if (answer !== null) return answer
  }
  throw new Error(`not answered in ${TIMEOUT_MS} ms`)
}

/** Does the work of each number below `count`, so many at once. Returns in the order of the numbers. */
export async function byCallers<T>(callers: number, count: number, work: (n: number) => Promise<T>): Promise<readonly T[]> {
  const done: T[] = []
  let next = 0
  const call = async (): Promise<void> => {
    for (let n = next++; n < count; n = next++) done[n] = await work(n)
  }
  await Promise.all(Array.from({ length: callers }, call))
  return done
}
