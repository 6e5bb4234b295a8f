import { Unavailable } from '@tidings/event-store'

type Waiting<Item, Answer> = Readonly<{ item: Item; resolve: (answer: Answer) => void; reject: (error: unknown) => void }>

/** `run` answers in the order of its items. Over `maxWaiting` waiting items a call is refused as `Unavailable`. */
export type BatchSettings<Item, Answer> = Readonly<{
  name: string
  run: (items: readonly Item[]) => Promise<readonly Answer[]>
  maxBatch: number
  maxWaiting: number
}>

/**
 * Collects single calls and makes them together, one batch in flight: as in a group commit, the batch grows with the load.
 * Idle, a call waits for the end of this turn of the event loop only. What a batch needs that is away is away for those who wait behind
 * it as well: they share its `Unavailable` instead of finding out one batch after the other.
 */
export function batching<Item, Answer>(settings: BatchSettings<Item, Answer>): (item: Item) => Promise<Answer> {
  const waiting: Waiting<Item, Answer>[] = []
  let running = false

  const flush = async (batch: readonly Waiting<Item, Answer>[]): Promise<void> => {
    try {
      const answers = await settings.run(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, n) => {
        resolve(answers[n]!)
      })
    } catch (error) {
      const refused = error instanceof Unavailable ? [...batch, ...waiting.splice(0)] : batch
      for (const { reject } of refused) reject(error)
    }
  }

  const drain = async (): Promise<void> => {
    while (waiting.length > 0) await flush(waiting.splice(0, settings.maxBatch))
    running = false
  }

  return (item) => {
    if (waiting.length >= settings.maxWaiting) return Promise.reject(new Unavailable(`${settings.name}: too many calls wait`))
    return new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      if (running) return
      running = true
      setImmediate(drain)
    })
  }
}
