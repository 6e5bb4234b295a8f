import { pause } from '@tidings/async'
import { LRUCache } from 'lru-cache'
import { DeliveryError, type Priority, type SendOptions } from '../port.ts'
import { PRIORITIES } from '../queue/fair-queue.ts'
import { TokenQueue } from '../rate/token-queue.ts'
import { withToken } from '../rate/with-token.ts'
import { AdaptiveRate } from './adaptive-rate.ts'
import { type Addressed, Evidence, type ThrottleScope } from './evidence.ts'
import { Throttled } from './throttled.ts'

/** The scopes are those of the evidence. */
export type ThrottledMessage = Addressed

/** The number of times that a message that was refused for its own sake is sent again before it fails for now, each time after twice as long. */
const MAX_TRIES = 5
/** The number of times that it is sent again if all messages are refused, and not for the sender. */
const MAX_TRIES_IN_ALL = 30
const FIRST_DELAY_MS = 250
/** A longer wait is the caller's, between its tries. */
const MAX_DELAY_MS = 10_000
const MAX_LANES = 1_000
/**
 * So many messages of a workspace wait here that were refused for their own sake: they take slots of the caller, whose own later try needs none.
 * One more fails for now at once, unless more than its recipient's trouble may be behind that.
 */
const MAX_WAITING = 3

/** One try. `at`: when its fence was asked last. `tokens`: where it took some, until it is handed over. */
type SendTry = { at: number; tokens: readonly TokenQueue[] }
/** `takenBefore`: by the workspace and the provider, before the try. */
type RefusedTry = Readonly<{ error: Throttled; sentAt: number; takenBefore: ReturnType<Evidence['taken']> }>
const NONE: readonly TokenQueue[] = []

/**
 * Sends at the rate that the other side bears (M57). A message that it refuses because it is asked too often waits and is sent again, behind
 * others; who waits with it is decided by the evidence: the messages to its recipient, those on its route, those of its workspace, or all. It fails
 * for now after some tries, unless all are slowed down and no other message is taken.
 */
export class SendThrottle {
  readonly #firstDelayMs: number
  readonly #evidence = new Evidence()
  readonly #all = laneOf()
  /** The rates by route, and by workspace. */
  readonly #lanes = new LRUCache<string, Lane>({ max: MAX_LANES })
  readonly #left = new LeftAlone()
  /** How many messages of a workspace wait that were refused for their own sake. */
  readonly #waiting = new Map<string, number>()

  constructor(firstDelayMs = FIRST_DELAY_MS) {
    this.#firstDelayMs = firstDelayMs
  }

  async send<Answer>(message: ThrottledMessage, options: SendOptions, send: (options: SendOptions) => Promise<Answer>): Promise<Answer> {
    let isWaiting = false
    try {
      for (let own = 0, tries = 1; ; tries++) {
        const tried = await this.#try(message, options, send)
        if ('answer' in tried) return tried.answer
        const { error } = tried
        const whose = this.#onThrottled(message, options.priority, { ...tried, own })
        if (error.about === 'recipient' && tries >= MAX_TRIES_IN_ALL) throw error
        if (this.#isOfMany(message, whose, tried)) continue
        if (++own > MAX_TRIES || this.#isOneTooMany(message, whose, isWaiting)) throw error
        if (!isWaiting) this.#addWaiting(message, 1)
        isWaiting = true
      }
    } finally {
      if (isWaiting) this.#addWaiting(message, -1)
    }
  }

  async #try<Answer>(
    message: ThrottledMessage,
    options: SendOptions,
    send: (options: SendOptions) => Promise<Answer>,
  ): Promise<Readonly<{ answer: Answer }> | RefusedTry> {
    // It waits without a slot: messages that can leave must not wait behind it.
    const waiting = this.#untilFree(message, options)
    const tokens = waiting instanceof Promise ? await waiting : waiting
    const takenBefore = this.#evidence.taken(message)
    const sent: SendTry = { at: Number.POSITIVE_INFINITY, tokens }
    try {
      const answer = await send(this.#timed(message, options, sent))
      this.#onAccepted(message)
      return { answer }
    } catch (error) {
      if (!wasTried(error)) for (const taken of sent.tokens) taken.giveBack()
      if (!(error instanceof Throttled)) throw error
      options.returned?.()
      return { error, sentAt: sent.at, takenBefore }
    }
  }

  /** All are refused, and no other is taken: that is no try of this message. */
  #isOfMany(message: ThrottledMessage, whose: ThrottleScope, { takenBefore }: RefusedTry): boolean {
    return (whose === 'workspace' || whose === 'provider') && this.#evidence.taken(message)[whose] === takenBefore[whose]
  }

  #isOneTooMany(message: ThrottledMessage, whose: ThrottleScope, isWaiting: boolean): boolean {
    if (whose === 'workspace' || whose === 'provider') return false
    const others = (this.#waiting.get(message.workspaceId) ?? 0) - (isWaiting ? 1 : 0)
    return others >= MAX_WAITING && !this.#evidence.isDoubtful(message, isWaiting)
  }

  #addWaiting({ workspaceId }: ThrottledMessage, change: 1 | -1): void {
    const count = (this.#waiting.get(workspaceId) ?? 0) + change
    if (count > 0) this.#waiting.set(workspaceId, count)
    else this.#waiting.delete(workspaceId)
  }

  /** The tokens of which it took one: none where neither its route nor its workspace is slowed down. */
  #untilFree(message: ThrottledMessage, options: SendOptions): Promise<readonly TokenQueue[]> | readonly TokenQueue[] {
    if (this.#left.size === 0 && this.#lanes.size === 0) return NONE
    const isLeft = this.#left.until(message, options.priority) > performance.now()
    const isSlow = this.#lanes.has(message.route) || this.#lanes.has(message.workspaceId)
    return isLeft || isSlow ? this.#takeTokens(message, options) : NONE
  }

  async #takeTokens(message: ThrottledMessage, { signal, priority }: SendOptions): Promise<readonly TokenQueue[]> {
    const { route, workspaceId } = message
    const leftMs = this.#left.until(message, priority) - performance.now()
    if (leftMs > 0) await pause(leftMs, signal)
    if (signal.aborted) throw new DeliveryError('outage', 'Stopped while the message waited for its time.')
    const taken: TokenQueue[] = []
    try {
      for (const tokens of [this.#lanes.get(route)?.tokens, this.#lanes.get(workspaceId)?.tokens]) {
        await tokens?.take({ workspaceId, priority, signal })
        if (tokens !== undefined) taken.push(tokens)
      }
    } catch (error) {
      for (const tokens of taken) tokens.giveBack()
      throw error
    }
    return taken
  }

  /** Its fence takes a token where all are slowed down, and notes when it was asked last. */
  #timed(message: ThrottledMessage, options: SendOptions, sent: SendTry): SendOptions {
    const fence = (): Promise<void> | undefined => {
      sent.at = performance.now()
      return options.fence()
    }
    let withTokens: SendOptions | undefined
    const { signal, priority, handedOver, returned, isFencedLast, endsConnecting } = options
    return {
      signal,
      priority,
      ...(returned && { returned }),
      ...(isFencedLast && { isFencedLast }),
      ...(endsConnecting && { endsConnecting }),
      fence: () => {
        if (withTokens === undefined && !this.#all.rate.isLimited()) return fence()
        withTokens ??= withToken(this.#all.tokens, message, { signal, priority, fence })
        return withTokens.fence()
      },
      handedOver: () => {
        sent.tokens = NONE
        withTokens?.handedOver?.()
        handedOver?.()
      },
    }
  }

  #onAccepted(message: ThrottledMessage): void {
    this.#evidence.accepted(message)
    if (this.#left.size > 0) this.#left.clear(message)
    onTaken(this.#all)
    if (this.#lanes.size === 0) return
    for (const key of [message.route, message.workspaceId]) {
      const lane = this.#lanes.get(key)
      if (lane !== undefined) onTaken(lane)
    }
  }

  /** `own`: how often it was refused for its own sake before. */
  #onThrottled(
    message: ThrottledMessage,
    priority: Priority,
    { error, sentAt, own }: RefusedTry & Readonly<{ own: number }>,
  ): ThrottleScope {
    const isLimited = (key: string) => this.#lanes.get(key)?.rate.isLimited() ?? false
    const { route, workspaceId } = message
    const limited = { provider: this.#all.rate.isLimited(), workspace: isLimited(workspaceId), route: isLimited(route) }
    const whose = this.#evidence.refused(message, limited, error.about === 'sender')
    if (whose === 'provider') this.#all.rate.refused(sentAt)
    else if (whose !== 'recipient') this.#laneOf(message, whose).rate.refused(sentAt)
    // This also holds if it asks for no wait.
    this.#left.leave(message, priority, Math.max(error.waitMs ?? 0, this.#firstDelayMs * 2 ** own))
    return whose
  }

  #laneOf(message: ThrottledMessage, whose: 'route' | 'workspace'): Lane {
    const key = whose === 'route' ? message.route : message.workspaceId
    const lane = this.#lanes.get(key) ?? laneOf(this.#evidence.perSecond(message, whose))
    this.#lanes.set(key, lane)
    return lane
  }
}

/** False of what a fence threw, and of an outage: the provider was not asked. */
const wasTried = (error: unknown): boolean => error instanceof DeliveryError && error.failure !== 'outage'

/** Those who are slowed down together. */
type Lane = Readonly<{ rate: AdaptiveRate; tokens: TokenQueue }>

/** `takenBefore`: how many of its messages were taken in a second. */
function laneOf(takenBefore = 0): Lane {
  const rate = new AdaptiveRate(takenBefore)
  const source = { nextAt: () => rate.nextAt(), take: () => rate.take(), giveBack: () => rate.giveBack() }
  return { rate, tokens: new TokenQueue(source) }
}

function onTaken({ rate, tokens }: Lane): void {
  rate.accepted()
  tokens.wake()
}

/**
 * Until when a recipient is left alone that a workspace's message was refused for. A message waits for those of its own workspace and class, and of the
 * classes that go first: none for another workspace's, and no passcode for a campaign's (M43).
 */
class LeftAlone {
  readonly #until = new LRUCache<string, number>({ max: 10_000, ttl: MAX_DELAY_MS, ttlResolution: 0 })

  get size(): number {
    return this.#until.size
  }

  /** By `performance.now()`; 0 where it may be written to. */
  until(message: Addressed, priority: Priority): number {
    let last = 0
    for (const one of PRIORITIES) {
      last = Math.max(last, this.#until.get(keyOf(message, one)) ?? 0)
      if (one === priority) break
    }
    return last
  }

  leave(message: Addressed, priority: Priority, ms: number): void {
    this.#until.set(keyOf(message, priority), performance.now() + Math.min(ms, MAX_DELAY_MS))
  }

  /** It takes messages again. */
  clear(message: Addressed): void {
    for (const one of PRIORITIES) this.#until.delete(keyOf(message, one))
  }
}

const keyOf = ({ workspaceId, to }: Addressed, priority: Priority): string => `${priority} ${workspaceId} ${to}`
