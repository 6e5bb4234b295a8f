import { DeliveryError, type SendOptions } from '../port.ts'
import type { TakenMessage } from '../taken.ts'

/** So long a passcode waits for one provider, or to reach it, before it goes to the next: its caller waits for the answer. */
const PASSCODE_WAIT_MS = 1_000

/** One provider of a list. `otherNames`: as of a `ListedAddress`. */
export type ListedProvider<Message> = Readonly<{
  label: string
  otherNames: readonly string[]
  callMs: number
  call: (message: Message, options: SendOptions) => Promise<TakenMessage>
  outage: () => string | null
  close: () => Promise<void>
}>

type ProvidersInOrder<Message> = Readonly<{
  name: string
  callMs: number
  hasSeveral: boolean
  call: (message: Message, options: SendOptions) => Promise<TakenMessage>
  outage: () => string | null
  close: () => Promise<void>
}>

/**
 * Several providers of a channel as one (M68). A message goes to the first that is in no outage. Where an outage begins before the message was handed
 * over, it goes to the next at once, and so does a passcode that nothing is known of after a second; every other failure is its own. One that may have been handed over before (`boundTo`) goes to that provider
 * alone. Each has its own slots, sessions, rate and evidence, and finds out by itself when its outage is over.
 */
export function inOrder<Message>(providers: readonly ListedProvider<Message>[]): ProvidersInOrder<Message> {
  const isOne = providers.length === 1
  const outage = (): string | null => {
    const reasons = providers.map((one) => ({ label: one.label, reason: one.outage() }))
    if (reasons.some(({ reason }) => reason === null)) return null
    return isOne ? (reasons[0]?.reason ?? null) : reasons.map(({ label, reason }) => `${label}: ${reason}`).join('; ')
  }
  const callOne = async (one: ListedProvider<Message>, message: Message, options: SendOptions): Promise<TakenMessage> => {
    if (isOne) return { ...(await one.call(message, options)), provider: one.label }
    options.chosen?.(one.label)
    return { ...(await one.call(message, { ...options, isFencedLast: true })), provider: one.label }
  }
  const callNext = async (message: Message, options: SendOptions): Promise<TakenMessage> => {
    for (const [index, one] of providers.entries()) {
      if (one.outage() !== null) continue
      const hasNext = providers.slice(index + 1).some((next) => next.outage() === null)
      const own = hasNext && options.priority === 'passcode' ? impatient(options) : options
      try {
        return await callOne(one, message, own)
      } catch (error) {
        const isOver = one.outage() !== null || own.signal.aborted
        if (!isOver || !movesOn(error, options)) throw error
      }
    }
    throw new DeliveryError('outage', outage() ?? 'every provider was in an outage a moment ago')
  }
  return {
    name: providers[0]?.label ?? 'none',
    callMs: Math.max(...providers.map(({ callMs }) => callMs)),
    hasSeveral: !isOne,
    outage,
    call: async (message, options) => {
      const { boundTo = null } = options
      return await (boundTo === null ? callNext(message, options) : callOne(bound(providers, boundTo), message, options))
    },
    close: async () => {
      await Promise.all(providers.map((one) => one.close()))
    },
  }
}

/** An outage that a stopped process, or too long a backlog, speaks of is none of the provider's. */
function movesOn(error: unknown, { signal }: SendOptions): boolean {
  return error instanceof DeliveryError && error.failure === 'outage' && !signal.aborted
}

const impatient = (options: SendOptions): SendOptions => ({
  ...options,
  signal: AbortSignal.any([options.signal, AbortSignal.timeout(PASSCODE_WAIT_MS)]),
  endsConnecting: true,
})

/** The one that is called so; else the one of whom it is another name. Throws where the configuration has that provider no more: it may come back. */
function bound<Message>(providers: readonly ListedProvider<Message>[], name: string): ListedProvider<Message> {
  const ranked = providers.map((one) => ({ one, rank: [one.label, ...one.otherNames].indexOf(name) }))
  const [best] = ranked.filter(({ rank }) => rank >= 0).toSorted((one, other) => one.rank - other.rank)
  if (best !== undefined) return best.one
  throw new DeliveryError('temporary', `the message may have been taken by ${name}, which is configured no more`)
}
