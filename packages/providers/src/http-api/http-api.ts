import { createOutage } from '../outage.ts'
import { DeliveryError, type SendOptions } from '../port.ts'
import { Slots } from '../queue/slots.ts'
import type { ThrottledMessage } from '../throttle/send-throttle.ts'
import { SendThrottle } from '../throttle/send-throttle.ts'
import { Throttled } from '../throttle/throttled.ts'
import { createHealth } from './health.ts'
import type { ApiOutcome, UnsentRequest } from './outcome.ts'

/** What a request does with its call as it leaves. */
export type Leaving = Readonly<{ onSent?: (() => void) | undefined; withdrawn?: AbortSignal | undefined }>

/**
 * `connections`: calls at once. `maxWaiting`: how many more of one workspace and class may wait. `callMs`: for one call. `onOutage`: as for email.
 * `ask` gives one request away, and never rejects: it calls `onSent` right before that leaves, `withdrawn` ends it before that, and its words repeat neither a secret nor what the request
 * says. `works`: whether a request without a recipient has the answer of a server that works. `groupOf`: as in `Health`.
 */
type HttpApiSettings<Request, Sent> = Readonly<{
  connections: number
  carriesPasscodes: boolean
  maxWaiting?: number | undefined
  callMs: number
  onOutage?: ((reason: string | null) => void) | undefined
  ask: (request: Request, leaving: Leaving) => Promise<ApiOutcome<Sent>>
  works: () => Promise<boolean>
  groupOf: (to: string) => string
}>

export type HttpApi<Request, Sent> = Readonly<{
  send: (request: Request & ThrottledMessage, options: SendOptions) => Promise<Readonly<{ failure: null }> & Sent>
  outage: () => string | null
  close: () => Promise<void>
}>

/**
 * Gives requests to an API, one message a request. One that left and has no usable answer is `unconfirmed`, and one that the rate limit refuses was
 * never taken.
 */
export function createHttpApi<Request, Sent>(settings: HttpApiSettings<Request, Sent>): HttpApi<Request, Sent> {
  const { connections, carriesPasscodes, maxWaiting, callMs, onOutage = () => undefined, ask, works, groupOf } = settings
  const slots = new Slots({ slots: connections, carriesPasscodes, ...(maxWaiting !== undefined && { maxOfOne: maxWaiting }) })
  const throttle = new SendThrottle(callMs / 40)
  const closing = new AbortController()
  const outage = createOutage({ isOver: works, onChange: onOutage, signal: closing.signal })
  const health = createHealth({ outage, probe: works, groupOf })

  const post = async (request: Request, { fence, handedOver, signal, endsConnecting }: SendOptions): Promise<ApiOutcome<Sent>> => {
    const reason = outage.reason()
    if (reason !== null) throw new DeliveryError('outage', reason)
    await fence()
    return await ask(request, { onSent: handedOver, withdrawn: endsConnecting ? signal : undefined })
  }

  const attempt = async (request: Request & ThrottledMessage, options: SendOptions): Promise<Readonly<{ failure: null }> & Sent> => {
    const leave = await slots.take({ workspaceId: request.workspaceId, ...options })
    const outcome = await post(request, options).finally(leave)
    if (outcome.failure === null) {
      health.accepted()
      return outcome
    }
    // This comes before the probe, which takes time: this message is not in doubt.
    if (outcome.failure !== 'unconfirmed') options.returned?.()
    const isOutage = health.isOutage(outcome, request.to)
    // What the server answered is its word on this message, however late.
    const isWithdrawn = outcome.failure === 'outage' && outcome.status === null && options.endsConnecting === true && options.signal.aborted
    throw errorOf(outcome, isWithdrawn || (await isOutage))
  }

  return {
    send: (request, options) => throttle.send(request, options, (timed) => attempt(request, timed)),
    outage: () => (closing.signal.aborted ? 'the provider is being closed' : outage.reason()),
    close: async () => {
      closing.abort()
      await slots.close()
    },
  }
}

/** Connections that no message uses. */
export const PROBES = 1

/** Whether the answer to a request without a recipient, which a working server refuses, is that of one that works. */
export function showsThatItWorks({ failure }: ApiOutcome<unknown>): boolean {
  return failure !== 'outage' && failure !== 'unconfirmed' && failure !== 'temporary'
}

/** A server that works for others, and refuses the account in this answer, refuses this message. */
function errorOf({ failure, response, status, isByCode, waitMs, isOptOut = false }: UnsentRequest, isOutage: boolean): DeliveryError {
  if (failure === 'rate limit')
    return new Throttled(`the provider is asked too often: ${response}`, { response, waitMs, about: 'recipient' })
  const isDoubtful = failure === 'outage' && status !== null && !isOutage
  return new DeliveryError(isDoubtful ? (isByCode ? 'temporary' : 'refused') : failure, `the provider answered ${response}`, {
    response,
    isOptOut,
  })
}
