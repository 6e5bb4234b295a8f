import { setTimeout as sleep } from 'node:timers/promises'

/** How long a client waits before it calls something missing; only ever reached by a test that fails. */
const PATIENCE_MS = 15_000

/** Asks until the answer is the wanted one; throws with the last answer when the patience is over. */
export const eventually = async <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> => {
  const deadline = performance.now() + PATIENCE_MS
  for (;;) {
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after ${PATIENCE_MS} ms`)
    await sleep(20)
  }
}
