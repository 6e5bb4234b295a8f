import type { WorkspaceId } from '@tidings/domain'
import { LRUCache } from 'lru-cache'
import { Tally } from './tally.ts'

/** `to`: the recipient. `route`: what it shares with others of its workspace that the same trouble would meet. */
export type Addressed = Readonly<{ workspaceId: WorkspaceId; to: string; route: string }>

/** What happened so long ago plays no part any more. */
const RECENT_MS = 10_000
const REFUSALS_MS = 60_000
const MAX_ENTRIES = 5_000

/** The scope of a refusal, as far as is known: the recipient, its route, its workspace, or the whole provider (M57). */
export type ThrottleScope = 'recipient' | Scope
type Scope = 'route' | 'workspace' | 'provider'

/** The scopes that are slowed down already. */
export type Limited = Readonly<Record<Scope, boolean>>

/**
 * What a provider said a moment ago, by recipient, route and workspace. A refusal is its recipient's until a real share of the recipients of its
 * route is refused; it is the workspace's where several of its routes are, and the provider's where several workspaces are. What is said of the
 * sender needs no share: a second recipient is enough.
 */
export class Evidence {
  readonly #refused = new LRUCache<string, Readonly<{ route: string; at: number }>>({
    max: MAX_ENTRIES,
    ttl: REFUSALS_MS,
    ttlResolution: 0,
  })
  readonly #routes = new LRUCache<string, Tally>({ max: MAX_ENTRIES })
  readonly #workspaces = new LRUCache<string, Tally>({ max: MAX_ENTRIES })
  readonly #all = new Tally()

  accepted({ workspaceId, to, route }: Addressed): void {
    const wasRefused = this.#refused.size > 0 && this.#refused.delete(to)
    const isNews = tallyOf(this.#routes, route).accepted(wasRefused, wasRefused)
    this.#all.accepted(wasRefused, tallyOf(this.#workspaces, workspaceId).accepted(wasRefused, isNews))
  }

  refused(message: Addressed, limited: Limited, isOfSender: boolean): ThrottleScope {
    const before = this.#refused.get(message.to)
    this.#refused.set(message.to, { route: message.route, at: performance.now() })
    const isOf = this.#count(message, before?.at)
    if (isOfSender) {
      const whose = this.#ofSender(message, limited, before !== undefined)
      if (whose !== null) return whose
    }
    if (this.#all.isAsWhole(limited.provider && isOf.provider)) return 'provider'
    if (tallyOf(this.#workspaces, message.workspaceId).isAsWhole(limited.workspace && isOf.workspace)) return 'workspace'
    return tallyOf(this.#routes, message.route).isAsWhole(limited.route && isOf.route) ? 'route' : 'recipient'
  }

  /** How many messages were taken in all: of the workspace, and by the provider. */
  taken({ workspaceId }: Addressed): Readonly<Record<'workspace' | 'provider', number>> {
    return { workspace: this.#workspaces.get(workspaceId)?.taken ?? 0, provider: this.#all.taken }
  }

  /** How many were taken in a second, a moment ago. */
  perSecond({ workspaceId, route }: Addressed, scope: 'route' | 'workspace'): number {
    return (scope === 'route' ? tallyOf(this.#routes, route) : tallyOf(this.#workspaces, workspaceId)).perSecond()
  }

  /** Whether more than its recipient's trouble may be behind a refusal. `isAgain`: whether that was waited for already. */
  isDoubtful({ workspaceId, route }: Addressed, isAgain: boolean): boolean {
    return [tallyOf(this.#routes, route), tallyOf(this.#workspaces, workspaceId), this.#all].some((tally) => tally.isDoubtful(isAgain))
  }

  /** The scopes that learned something from a refusal. */
  #count({ workspaceId, route }: Addressed, before: number | undefined): Limited {
    const [ofRoute, ofWorkspace] = [tallyOf(this.#routes, route), tallyOf(this.#workspaces, workspaceId)]
    if (before !== undefined) {
      for (const tally of [ofRoute, ofWorkspace, this.#all]) tally.refusedAgain(before)
      return { route: false, workspace: false, provider: false }
    }
    const workspace = ofRoute.refused()
    const provider = workspace && ofWorkspace.refused()
    if (provider) this.#all.refused()
    return { route: true, workspace, provider }
  }

  #ofSender({ route }: Addressed, limited: Limited, isKnown: boolean): 'route' | 'provider' | null {
    const { recipients, onRoute } = this.#recent(route)
    const mayBeAll = tallyOf(this.#routes, route).works(RECENT_MS) || !this.#all.works(RECENT_MS)
    const isOfAll = limited.provider && isKnown ? recipients > 1 && !this.#all.works(RECENT_MS) : limited.provider || recipients > 1
    if (isOfAll && mayBeAll) return 'provider'
    return (limited.route ? !isKnown : onRoute > 1) ? 'route' : null
  }

  #recent(route: string): Readonly<{ recipients: number; onRoute: number }> {
    const since = performance.now() - RECENT_MS
    let [recipients, onRoute] = [0, 0]
    // The latest first.
    for (const [, refusal] of this.#refused.entries()) {
      if (refusal.at < since || recipients > 20) break
      recipients++
      if (refusal.route === route) onRoute++
    }
    return { recipients, onRoute }
  }
}

function tallyOf(tallies: LRUCache<string, Tally>, key: string): Tally {
  const known = tallies.get(key)
  if (known !== undefined) return known
  const tally = new Tally()
  tallies.set(key, tally)
  return tally
}
