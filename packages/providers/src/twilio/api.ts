import { createOutage } from '../outage.ts'
import { DeliveryError, type SendOptions } from '../port.ts'
import { Places } from '../queue/places.ts'
import type { Taken } from '../taken.ts'
import { phoneRoute } from '../throttle/phone-route.ts'
import { SendThrottle } from '../throttle/send-throttle.ts'
import { Throttled } from '../throttle/throttled.ts'
import type { TwilioAccount } from './account.ts'
import { createHealth } from './health.ts'
import type { Outcome, Unsent } from './read-answer.ts'
import { redact } from './redact.ts'
import { createRequests, type Form, type Requests } from './requests.ts'

/** `connections`: calls at once. `maxWaiting`: how many more of one workspace and class may wait. `callMs`: for one request. `onOutage`: as for email. */
export type TwilioSettings = Readonly<{
  account: TwilioAccount
  publicUrl: string
  connections?: number
  maxWaiting?: number
  callMs?: number
  onOutage?: (reason: string | null) => void
}>

/**
 * `form` is called behind the fence. `text`: what it says to a person. `from`: the sender as callers name it, which shares a route, and `ownNumber` as of
 * a text message. Neither the text nor a number is repeated in an error.
 */
type TwilioRequest = Readonly<{
  workspaceId: string
  to: string
  from: string
  text: string
  form: () => Form
  ownNumber?: () => string | null
}>

export type TwilioApi = Readonly<{
  callMs: number
  create: (request: TwilioRequest, options: SendOptions) => Promise<Taken>
  outage: () => string | null
  close: () => Promise<void>
}>

type Sent = Extract<Outcome, { failure: null }>

/**
 * Creates messages or calls. The API has no idempotency key for that: a request that left and has no usable answer is `unconfirmed`, and one
 * that the rate limit refuses was never taken.
 */
export function createTwilioApi(resource: 'Messages' | 'Calls', settings: TwilioSettings): TwilioApi {
  const { account, connections = 20, maxWaiting, callMs = 10_000, onOutage = () => undefined } = settings
  const requests = createRequests({ resource, account, connections: connections + PROBES, callMs })
  const places = new Places({ places: connections, carriesPasscodes: true, ...(maxWaiting !== undefined && { maxOfOne: maxWaiting }) })
  const throttle = new SendThrottle(callMs / 40)
  const closing = new AbortController()
  const outage = createOutage({ isOver: () => works(requests), onChange: onOutage, signal: closing.signal })
  const health = createHealth({ outage, probe: () => works(requests) })

  const post = async ({ to, text, form, ownNumber }: TwilioRequest, { fence, handedOver }: SendOptions): Promise<Outcome> => {
    const reason = outage.reason()
    if (reason !== null) throw new DeliveryError('outage', reason)
    await fence()
    const said = await requests.post(form(), handedOver)
    if (said.failure === null) return said
    return { ...said, response: redact(said.response, account, { text, numbers: [to, ownNumber?.() ?? ''] }) }
  }

  const attempt = async (request: TwilioRequest, options: SendOptions): Promise<Sent> => {
    const leave = await places.take({ workspaceId: request.workspaceId, ...options })
    const outcome = await post(request, options).finally(leave)
    if (outcome.failure === null) {
      health.accepted()
      return outcome
    }
    // This comes before the probe, which takes time: this message is not in doubt.
    if (outcome.failure !== 'unconfirmed') options.returned?.()
    const isOutage = await health.isOutage(outcome, request.to)
    throw errorOf(outcome, isOutage)
  }

  return {
    callMs,
    create: async (request, options) => {
      const { workspaceId, to } = request
      const { sid, response } = await throttle.send({ workspaceId, to, route: phoneRoute(request) }, options, (timed) =>
        attempt(request, timed),
      )
      return { providerMessageId: sid, response }
    },
    outage: () => (closing.signal.aborted ? 'the provider is being closed' : outage.reason()),
    close: async () => {
      closing.abort()
      await places.close()
      await requests.close()
    },
  }
}

/** Connections that no message uses. */
const PROBES = 1

/** Probes with a request without a recipient: a working server refuses it, so that no message and no call results. */
async function works(requests: Requests): Promise<boolean> {
  const { failure } = await requests.post({})
  return failure !== 'outage' && failure !== 'unconfirmed' && failure !== 'temporary'
}

/** A server that works for others, and refuses the account in this answer, refuses this message. */
function errorOf({ failure, response, status, isByCode, waitMs, isOptOut = false }: Unsent, isOutage: boolean): DeliveryError {
  if (failure === 'rate limit')
    return new Throttled(`the provider is asked too often: ${response}`, { response, waitMs, about: 'recipient' })
  const isDoubtful = failure === 'outage' && status !== null && !isOutage
  return new DeliveryError(isDoubtful ? (isByCode ? 'temporary' : 'refused') : failure, `the provider answered ${response}`, {
    response,
    isOptOut,
  })
}
