/** More work than this process can take: asking again makes sense. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  readonly retryable = true
}

type Waiting = { readonly client: string; readonly start: () => void; readonly refuse: (error: Error) => void }

type Options = Readonly<{ maxWaiting: number; maxOfOne: number; windowMs: number; now?: () => number }>

/** Clients whose recent work is remembered: one that is forgotten counts as new. */
const MAX_CLIENTS = 10_000

/**
 * One piece of work at a time, shared out by client: next is the client that had the least within the window, of equals the first. Where too
 * many wait, the one whose client had the most is refused, so a flood keeps out its own client and none that comes seldom. One client waits
 * `maxOfOne` times at most.
 */
export function createFairQueue({ maxWaiting, maxOfOne, windowMs, now = () => performance.now() }: Options) {
  const waiting: Waiting[] = []
  const recent = new Map<string, readonly number[]>()
  let isBusy = false

  const usedBy = (client: string): number => {
    const since = now() - windowMs
    return (recent.get(client) ?? []).filter((time) => time > since).length
  }
  const noteUse = (client: string): void => {
    const since = now() - windowMs
    const times = [...(recent.get(client) ?? []).filter((time) => time > since), now()]
    recent.delete(client)
    recent.set(client, times)
    const [oldest] = recent.keys()
    if (recent.size > MAX_CLIENTS && oldest !== undefined) recent.delete(oldest)
  }
  const waitingOf = (client: string): number => waiting.filter((one) => one.client === client).length

  const begin = (): void => {
    if (isBusy || waiting.length === 0) return
    const next = waiting.reduce((best, one) => (usedBy(one.client) < usedBy(best.client) ? one : best))
    waiting.splice(waiting.indexOf(next), 1)
    isBusy = true
    noteUse(next.client)
    next.start()
  }

  const makeRoom = (client: string): void => {
    if (waitingOf(client) >= maxOfOne) throw new QueueFull('too many sign-ins of one address wait for the check of a password')
    if (waiting.length < maxWaiting) return
    const weightOf = (one: string): number => usedBy(one) + waitingOf(one)
    const last = waiting.reduce((worst, one) => (weightOf(one.client) >= weightOf(worst.client) ? one : worst))
    const full = new QueueFull('too many sign-ins wait for the check of a password')
    if (weightOf(last.client) <= weightOf(client)) throw full
    waiting.splice(waiting.indexOf(last), 1)
    last.refuse(full)
  }

  /** Rejects with `QueueFull`, else as `work` does. */
  return async <Result>(client: string, work: () => Promise<Result>): Promise<Result> => {
    makeRoom(client)
    await new Promise<void>((start, refuse) => {
      waiting.push({ client, start, refuse })
      begin()
    })
    try {
      return await work()
    } finally {
      isBusy = false
      begin()
    }
  }
}
