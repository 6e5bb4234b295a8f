import { pause } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import { DeliveryError, type SendOptions } from '../port.ts'
import { TokenQueue } from '../rate/token-queue.ts'
import { withToken } from '../rate/with-token.ts'
import { AdaptiveRate } from './adaptive-rate.ts'
import { type Addressed, Evidence } from './evidence.ts'
import { Throttled } from './throttled.ts'

/** `to` and `route` as for the evidence. */
export type ThrottledMessage = Addressed & Readonly<{ workspaceId: string }>

/** So often a message is sent again that was refused for its own sake, before it fails for now; each time after twice as long. */
const MAX_TRIES = 5
/** So often where all are refused, and it is not said of the sender. */
const MAX_TRIES_IN_ALL = 30
const FIRST_DELAY_MS = 250
/** A longer wait is the caller's, between its tries. */
const MAX_DELAY_MS = 10_000
const MAX_ROUTES = 1_000

type Lane = Readonly<{ rate: AdaptiveRate; tokens: TokenQueue }>
/** One try. `at`: when its fence was asked last. `token`: where it took one, until it is handed over. */
type Try = { at: number; token: TokenQueue | undefined }

/**
 * Sends at the rate that the other side bears (M57). A message that it refuses because it is asked too often waits and is sent again, behind
 * others; who waits with it is decided by the evidence: the messages to its recipient, those on its route, or all. It fails for now after some
 * tries, unless all are slowed down and no other message is taken.
 */
export class SendThrottle {
  readonly #firstDelayMs: number
  readonly #evidence = new Evidence()
  readonly #all = laneOf()
  readonly #routes = new LRUCache<string, Lane>({ max: MAX_ROUTES })
  /** Until when a recipient is left alone. */
  readonly #left = new LRUCache<string, number>({ max: 10_000, ttl: MAX_DELAY_MS })
  #accepted = 0

  constructor(firstDelayMs = FIRST_DELAY_MS) {
    this.#firstDelayMs = firstDelayMs
  }

  async send<Answer>(message: ThrottledMessage, options: SendOptions, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> {
    for (let own = 0, tries = 1; ; tries++) {
      // Without a place: those who can go must not wait behind it.
      const waiting = this.#untilFree(message, options)
      const token = waiting instanceof Promise ? await waiting : waiting
      const acceptedBefore = this.#accepted
      const sent: Try = { at: Number.POSITIVE_INFINITY, token }
      try {
        const answer = await send(this.#timed(message, options, sent))
        this.#onAccepted(message)
        return answer
      } catch (error) {
        if (!wasTried(error)) sent.token?.giveBack()
        if (!(error instanceof Throttled)) throw error
        options.returned?.()
        const whose = this.#onThrottled(message, { error, sentAt: sent.at, own })
        const isItsOwn = whose !== 'provider' || this.#accepted > acceptedBefore
        if (error.about === 'recipient' && tries >= MAX_TRIES_IN_ALL) throw error
        if (isItsOwn && ++own > MAX_TRIES) throw error
      }
    }
  }

  /** The tokens of which it took one, undefined where its route is not slowed down. */
  #untilFree(message: ThrottledMessage, options: SendOptions): Promise<TokenQueue | undefined> | TokenQueue | undefined {
    if (this.#left.size === 0 && this.#routes.size === 0) return undefined
    const leftMs = (this.#left.get(message.to) ?? 0) - performance.now()
    return leftMs > 0 ? pause(leftMs, options.signal).then(() => this.#untilRoute(message, options)) : this.#untilRoute(message, options)
  }

  #untilRoute(message: ThrottledMessage, { signal, priority }: SendOptions): Promise<TokenQueue | undefined> | TokenQueue | undefined {
    if (signal.aborted) throw new DeliveryError('outage', 'Stopped while the message waited for its time.')
    const tokens = this.#routes.get(message.route)?.tokens
    const waiting = tokens?.take({ workspaceId: message.workspaceId, priority, signal })
    return waiting === undefined ? tokens : waiting.then(() => tokens)
  }

  /** Its fence takes a token where all are slowed down, and notes when it was asked last. */
  #timed(message: ThrottledMessage, options: SendOptions, sent: Try): SendOptions {
    const fence = (): Promise<void> | undefined => {
      sent.at = performance.now()
      return options.fence()
    }
    let withTokens: SendOptions | undefined
    const { signal, priority, handedOver, returned } = options
    return {
      signal,
      priority,
      ...(returned && { returned }),
      fence: () => {
        if (withTokens === undefined && !this.#all.rate.isLimited()) return fence()
        withTokens ??= withToken(this.#all.tokens, message, { signal, priority, fence })
        return withTokens.fence()
      },
      handedOver: () => {
        sent.token = undefined
        withTokens?.handedOver?.()
        handedOver?.()
      },
    }
  }

  #onAccepted(message: ThrottledMessage): void {
    this.#accepted++
    this.#evidence.accepted(message)
    if (this.#left.size > 0) this.#left.delete(message.to)
    this.#all.rate.accepted()
    this.#all.tokens.wake()
    const route = this.#routes.size > 0 ? this.#routes.get(message.route) : undefined
    route?.rate.accepted()
    route?.tokens.wake()
  }

  #onThrottled(message: ThrottledMessage, { error, sentAt, own }: Readonly<{ error: Throttled; sentAt: number; own: number }>) {
    const route = this.#routes.get(message.route)
    const limited = { provider: this.#all.rate.isLimited(), route: route?.rate.isLimited() ?? false }
    const whose = this.#evidence.refused(message, limited, error.about === 'sender')
    if (whose === 'provider') this.#all.rate.refused(sentAt)
    if (whose === 'route') this.#routeOf(message.route).rate.refused(sentAt)
    const delayMs = Math.min(error.waitMs ?? this.#firstDelayMs * 2 ** own, MAX_DELAY_MS)
    this.#left.set(message.to, performance.now() + delayMs)
    return whose
  }

  #routeOf(route: string): Lane {
    const lane = this.#routes.get(route) ?? laneOf()
    this.#routes.set(route, lane)
    return lane
  }
}

/** False of what a fence threw, and of an outage: the provider was not asked. */
const wasTried = (error: unknown): boolean => error instanceof DeliveryError && error.failure !== 'outage'

function laneOf(): Lane {
  const rate = new AdaptiveRate()
  const source = { nextAt: () => rate.nextAt(), take: () => rate.take(), giveBack: () => rate.giveBack() }
  return { rate, tokens: new TokenQueue(source) }
}
