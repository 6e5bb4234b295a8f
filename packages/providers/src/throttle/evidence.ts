import { LRUCache } from 'lru-cache'

/** `to`: the recipient. `route`: what it shares with others that the same trouble would meet. */
export type Addressed = Readonly<{ to: string; route: string }>

/** What happened so long ago plays no part any more. */
const RECENT_MS = 10_000
const REFUSALS_MS = 60_000
const NOTED_MS = 1_000
const MAX_ENTRIES = 5_000

/** Whose a refusal is, as far as is known: the recipient's, that of all on its route, or the provider's for everybody (M57). */
export type Whose = 'recipient' | 'route' | 'provider'

/**
 * What a provider said a moment ago, by recipient and route. A refusal is its recipient's until another recipient is refused as well; it is the
 * route's until another route is refused too, and while other routes work and this one does not.
 */
export class Evidence {
  readonly #refused = new LRUCache<string, Readonly<{ route: string; at: number }>>({ max: MAX_ENTRIES, ttl: REFUSALS_MS })
  readonly #worked = new LRUCache<string, number>({ max: MAX_ENTRIES, ttl: RECENT_MS })
  /** The last success, and the last on another route. */
  #last: readonly [route: string, at: number] = ['', Number.NEGATIVE_INFINITY]
  #lastElsewhere = Number.NEGATIVE_INFINITY
  #noted = Number.NEGATIVE_INFINITY

  accepted({ to, route }: Addressed): void {
    const now = performance.now()
    if (this.#last[0] !== route) this.#lastElsewhere = this.#last[1]
    // Where one route works all the time, it is noted from time to time.
    if (this.#last[0] !== route || now - this.#noted > NOTED_MS) {
      this.#worked.set(route, now)
      this.#noted = now
    }
    this.#last = [route, now]
    if (this.#refused.size > 0) this.#refused.delete(to)
  }

  /** `isLimited`: whether the scope is slowed down already; then the first refusal of a recipient is enough, and each while nothing is taken. */
  refused({ to, route }: Addressed, isLimited: Readonly<{ route: boolean; provider: boolean }>, isOfSender: boolean): Whose {
    const isKnown = this.#refused.has(to)
    this.#refused.set(to, { route, at: performance.now() })
    const { recipients, onRoute, routes } = this.#recent(route)
    const worksElsewhere = performance.now() - (this.#last[0] === route ? this.#lastElsewhere : this.#last[1]) < RECENT_MS
    const mayBeAll = this.#worked.has(route) || !worksElsewhere
    const worksNowhere = performance.now() - this.#last[1] >= RECENT_MS
    const ofSeveral = recipients > 1 && (isOfSender || routes > 1)
    const ofAll = isLimited.provider ? !isKnown || (worksNowhere && recipients > 1) : ofSeveral
    if (ofAll && mayBeAll) return 'provider'
    return (isLimited.route ? !isKnown : onRoute > 1) ? 'route' : 'recipient'
  }

  #recent(route: string): Readonly<{ recipients: number; onRoute: number; routes: number }> {
    const since = performance.now() - RECENT_MS
    const routes = new Set<string>()
    let [recipients, onRoute] = [0, 0]
    // The latest first.
    for (const [, refusal] of this.#refused.entries()) {
      if (refusal.at < since || recipients > 20) break
      recipients++
      routes.add(refusal.route)
      if (refusal.route === route) onRoute++
    }
    return { recipients, onRoute, routes: routes.size }
  }
}
