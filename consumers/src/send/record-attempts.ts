import type { Recorded } from '@tidings/codec'
import { positionText } from '@tidings/event-store'
import type { Job, Lease, Verdict } from '@tidings/jobs'
import { providerAttributes, traces } from '@tidings/observability/traces'
import { DeliveryError } from '@tidings/providers'

type Work = (job: Job, lease: Lease, signal: AbortSignal) => Promise<Verdict>

const startOf = (kind: string, { workspaceId, attempt }: Job) =>
  ({
    name: `process ${kind}`,
    kind: 'consumer',
    attributes: {
      'messaging.system': 'tidings',
      'messaging.operation.type': 'process',
      'messaging.destination.name': kind,
      'tidings.workspace': workspaceId,
      'tidings.attempt': attempt + 1,
    },
  }) as const

/** Each attempt at a message is a span of the trace in which the message was accepted (M69), whichever process makes it. */
export function recordAttempts(kind: string, work: Work): Work {
  return (job, lease, signal) => {
    const all = traces()
    if (all === null) return work(job, lease, signal)
    return all.join([job.payload], startOf(kind, job), async (span) => {
      const verdict = await work(job, lease, signal)
      span?.set({ 'tidings.outcome': verdict === 'done' ? 'done' : verdict.deferredFor })
      return verdict
    })
  }
}

/** The message that the attempt is at. */
export function noteMessage({ meta, position }: Pick<Recorded, 'meta' | 'position'>): void {
  traces()
    ?.active()
    ?.set({ 'tidings.request_id': meta.requestId, 'tidings.position': positionText(position) })
}

/** The time in which a provider has the message. `label` says to which of several it went. */
export function recordProviderCall<T>(label: () => string, call: () => Promise<T>): Promise<T> {
  const all = traces()
  if (all === null) return call()
  return all.part({ name: 'hand over', kind: 'client' }, async (span) => {
    try {
      const taken = await call()
      span?.set({ ...providerAttributes(label()), 'tidings.outcome': 'accepted' })
      return taken
    } catch (error) {
      span?.set({ ...providerAttributes(label()), 'tidings.outcome': error instanceof DeliveryError ? error.failure : undefined })
      throw error
    }
  })
}
