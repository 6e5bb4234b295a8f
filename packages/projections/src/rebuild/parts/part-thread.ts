import { type ResourceLimits, Worker } from 'node:worker_threads'
import { threadEnvironment, threadHeap } from '@tidings/async/threads'
import { RebuildRefused } from '../refused.ts'
import { PartFailed } from './part-failed.ts'
import type { PartBuilt, PartOrder, PartReached, ThreadData, ThreadMessage } from './thread-messages.ts'

/** One part on its way. `built` rejects with why it could not be; `end` resolves when nothing of it runs any more. */
export type RunningPart = Readonly<{ built: Promise<PartBuilt>; end: () => Promise<void> }>

export type StartPart = (order: PartOrder, onReached: (reached: PartReached) => void) => RunningPart

/** The threads (default one a core, at most four) that build a log of so many events (default 200 000). */
export type RebuildThreads = Readonly<{ count?: number | undefined; start: StartPart; leastEvents?: number }>

/** Starts parts in threads of their own. `module` calls `servePart`, with `source`, which is cloned. */
export function partInThread(module: URL, source: unknown): StartPart {
  return (order, onReached) => {
    const resourceLimits = limitsOf(order)
    const workerData = { source, order } satisfies ThreadData
    const name = `rebuild ${order.projection}`
    return watch(new Worker(module, { workerData, resourceLimits, name, env: threadEnvironment() }), order, onReached)
  }
}

/** One needs 160 MB for pages of the largest events beside its rows; two have had 220 each. */
const limitsOf = ({ of }: PartOrder): ResourceLimits => threadHeap({ of, least: of === 2 ? 220 : 160, young: [16, 32] })

const watch = (worker: Worker, { projection }: PartOrder, onReached: (reached: PartReached) => void): RunningPart => {
  const built = Promise.withResolvers<PartBuilt>()
  built.promise.catch(() => undefined) // awaited together with the others
  const died = (why: string): void =>
    built.reject(
      new RebuildRefused(
        `A thread of the rebuild of ${projection} ended (${why}); the live tables are as they were. Run it again, with \`--threads 1\` if it happens again.`,
      ),
    )
  worker.on('message', (message: ThreadMessage) => {
    if ('reached' in message) onReached(message.reached)
    else if ('built' in message) built.resolve(message.built)
    else built.reject(new PartFailed(message.failed))
  })
  worker.on('error', (error: unknown) => died(error instanceof Error ? error.message : String(error)))
  const exited = Promise.withResolvers<void>()
  worker.on('exit', (code) => {
    died(`exit code ${code}`)
    exited.resolve()
  })
  return {
    built: built.promise,
    end: async () => {
      await worker.terminate()
      await exited.promise
    },
  }
}
