import { setTimeout as sleep } from 'node:timers/promises'

/** How long a client waits before it calls something missing; only ever reached by a test that fails. */
const TIMEOUT_MS = 180_000

/** Asks until the answer is the wanted one; throws with the last answer when the time is over. */
export async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const deadline = performance.now() + TIMEOUT_MS
  for (;;) {
    const asked = performance.now()
    const answer = await ask()
    if (isWanted(answer)) return answer
    if (performance.now() > deadline) throw new Error(`still ${JSON.stringify(answer)} after ${TIMEOUT_MS} ms`)
    // What is asked may be a command: asked without a pause, it takes the core that it waits for.
    await sleep(Math.max(50, performance.now() - asked))
  }
}
