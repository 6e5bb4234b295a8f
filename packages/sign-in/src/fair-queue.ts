/** The process has more work than it can take: asking again makes sense. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull'
  readonly retryable = true
}

type Waiting = { readonly client: string; readonly start: () => void; readonly refuse: (error: Error) => void }

type FairQueueOptions = Readonly<{ maxWaiting: number; maxOfOne: number; windowMs: number; now?: () => number }>

/** Clients and networks whose recent work is remembered: one that is forgotten counts as new. */
const MAX_CLIENTS = 10_000

/** So many requests of its network weigh like one of the client's own: little among neighbours, much if one network asks under ever new addresses. */
const OF_NETWORK = 16

/**
 * One piece of work at a time, shared out by client: next is the client that had the least within the window, of equals the first. Where too
 * many wait, the one whose client had the most is refused, so a flood keeps out its own client and none that comes seldom. Equals do not take
 * each other's places. What the network of a client had counts behind its own. One client waits `maxOfOne` times at most.
 */
export function createFairQueue({ maxWaiting, maxOfOne, windowMs, now = () => performance.now() }: FairQueueOptions) {
  const waiting: Waiting[] = []
  const recent = new Map<string, readonly number[]>()
  let isBusy = false

  const timesOf = (key: string): readonly number[] => {
    const since = now() - windowMs
    return (recent.get(key) ?? []).filter((time) => time > since)
  }
  const usedBy = (client: string): number => timesOf(client).length + timesOf(networkOf(client)).length / OF_NETWORK
  const noteUse = (key: string): void => {
    const times = [...timesOf(key), now()]
    recent.delete(key)
    recent.set(key, times)
    const [oldest] = recent.keys()
    if (recent.size > MAX_CLIENTS && oldest !== undefined) recent.delete(oldest)
  }
  const waitingOf = (client: string): number => waiting.filter((one) => one.client === client).length
  const neighboursOf = (client: string): number => waiting.filter((one) => networkOf(one.client) === networkOf(client)).length
  const weightOf = (client: string): number => usedBy(client) + waitingOf(client) + neighboursOf(client) / OF_NETWORK

  const begin = (): void => {
    if (isBusy || waiting.length === 0) return
    const next = waiting.reduce((best, one) => (usedBy(one.client) < usedBy(best.client) ? one : best))
    waiting.splice(waiting.indexOf(next), 1)
    isBusy = true
    for (const key of new Set([next.client, networkOf(next.client)])) noteUse(key)
    next.start()
  }

  const makeRoom = (client: string): void => {
    if (waitingOf(client) >= maxOfOne) throw new QueueFull('too many sign-ins of one address wait for the check of a password')
    if (waiting.length < maxWaiting) return
    const weights = new Map([client, ...waiting.map((one) => one.client)].map((one) => [one, weightOf(one)]))
    const weight = (one: string): number => weights.get(one) ?? 0
    const last = waiting.reduce((worst, one) => (weight(one.client) >= weight(worst.client) ? one : worst))
    const full = new QueueFull('too many sign-ins wait for the check of a password')
    // Were it to wait, the asker would weigh one more, as those weigh who do.
    if (weight(last.client) <= weight(client) + 1 + 1 / OF_NETWORK) throw full
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

const IPV4 = /^(\d{1,3}\.\d{1,3}\.\d{1,3})\.\d{1,3}$/
const IPV6_64 = /^([\da-f]{1,4}:[\da-f]{1,4}:[\da-f]{1,4}):[\da-f]{1,4}::\/64$/

/** The network around a client as limits name it: the /24 of an IPv4 address, the /48 of an IPv6 /64; of anything else it is itself. */
export function networkOf(client: string): string {
  const [, of4] = IPV4.exec(client) ?? []
  if (of4 !== undefined) return `${of4}.0/24`
  const [, of6] = IPV6_64.exec(client) ?? []
  return of6 === undefined ? client : `${of6}::/48`
}
