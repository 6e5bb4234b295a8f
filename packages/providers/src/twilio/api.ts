import { createOutage } from '../outage.ts'
import { DeliveryError, type SendOptions } from '../port.ts'
import type { TwilioAccount } from './account.ts'
import { createHealth } from './health.ts'
import type { Outcome, Unsent } from './read-answer.ts'
import { redact } from './redact.ts'
import { createRequests, type Form, type Requests } from './requests.ts'
import { createSendQueue } from './send-queue.ts'

/** `connections`: calls at once. `maxWaiting`: how many more may wait. `callMs`: for one request. `onOutage`: as for email. */
export type TwilioSettings = Readonly<{
  account: TwilioAccount
  publicUrl: string
  connections?: number
  maxWaiting?: number
  callMs?: number
  onOutage?: (reason: string | null) => void
}>

/** `text`: what the form says to a person. It is never repeated in an error. */
type TwilioRequest = Readonly<{ form: Form; text: string }>

export type TwilioApi = Readonly<{
  callMs: number
  create: (request: TwilioRequest, options: SendOptions) => Promise<Readonly<{ providerMessageId: string }>>
  outage: () => string | null
  close: () => Promise<void>
}>

/** A message that the rate limit refuses is sent again so often, each time after a pause for all, before it fails. */
const MAX_RATE_LIMITED = 5

/**
 * Creates messages or calls. The API has no idempotency key for that: a request that left and has no usable answer is `unconfirmed`, and one
 * that the rate limit refuses was never taken.
 */
export function createTwilioApi(resource: 'Messages' | 'Calls', settings: TwilioSettings): TwilioApi {
  const { account, connections = 20, maxWaiting = 10_000, callMs = 10_000, onOutage = () => undefined } = settings
  const requests = createRequests({ resource, account, connections, callMs })
  const queue = createSendQueue({ maxActive: connections, maxWaiting })
  const closing = new AbortController()
  const outage = createOutage({ isOver: () => works(requests), onChange: onOutage, signal: closing.signal })
  const health = createHealth({ outage, queue })

  const failed = async (outcome: Unsent): Promise<Unsent> => {
    const isDoubtful = outcome.failure === 'outage' && outcome.status !== null && !outcome.isByCode
    // A server that works for others would be an outage again with every try of this message.
    const judged = isDoubtful && (await works(requests)) ? { ...outcome, failure: 'refused' as const } : outcome
    health.record(judged)
    return judged
  }

  const attempt = async ({ form, text }: TwilioRequest, { fence, handedOver }: SendOptions): Promise<Outcome> => {
    const reason = outage.reason()
    if (reason !== null) throw new DeliveryError('outage', reason)
    await fence()
    const said = await requests.post(form, handedOver)
    if (said.failure !== null) return failed({ ...said, response: redact(said.response, account, { text, to: form.To ?? '' }) })
    health.record(said)
    return said
  }

  return {
    callMs,
    create: async (request, options) => {
      for (let tries = 0; ; tries++) {
        const outcome = await queue.run(() => attempt(request, options), { signal: options.signal, first: tries > 0 })
        if (outcome.failure === null) return { providerMessageId: outcome.sid }
        if (outcome.failure !== 'rate limit' || tries === MAX_RATE_LIMITED) throw deliveryError(outcome)
      }
    },
    outage: () => (closing.signal.aborted ? 'the provider is being closed' : outage.reason()),
    close: async () => {
      closing.abort()
      await queue.close()
      await requests.close()
    },
  }
}

/** By a request without a recipient: a server that works refuses it, so that no message and no call comes of it. */
async function works(requests: Requests): Promise<boolean> {
  const { failure } = await requests.post({})
  return failure !== 'outage' && failure !== 'unconfirmed' && failure !== 'temporary'
}

function deliveryError({ failure, response }: Unsent): DeliveryError {
  if (failure === 'rate limit') return new DeliveryError('temporary', `the provider is asked too often: ${response}`, { response })
  return new DeliveryError(failure, `the provider answered ${response}`, { response })
}
