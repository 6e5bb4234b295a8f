import type { Recorded } from '@tidings/codec'
import type { EndpointId } from '@tidings/domain'
import { type Fact, factOf } from '../fact.ts'
import type { Sources } from '../sources.ts'
import { idOfWaiting, saysOfTry, sourceOf, triesAbout, waitingAbout } from '../webhook/deliveries.ts'
import { readEndpoints } from '../webhook/endpoints.ts'
import type { KnownMessage } from './known-message.ts'

/** The webhooks about the message: one fact for each delivery, at the event that it reports, as far as its tries are kept. */
export async function deliveryFacts(sources: Sources, { workspaceId, events }: KnownMessage): Promise<readonly Fact[]> {
  const endpoints = await readEndpoints(sources, workspaceId)
  if (endpoints.length === 0) return []
  const causes = new Map<string, Recorded>(events.map((event) => [sourceOf(event), event]))
  const wanted = { workspaceId, endpointIds: endpoints.map(({ id }) => id), sources: [...causes.keys()] }
  const urlOf = (endpointId: EndpointId): string => endpoints.find(({ id }) => id === endpointId)?.url ?? 'a deleted endpoint'
  const said = new Map<string, { cause: Recorded; head: string; ends: string[] }>()
  const delivery = (cause: Recorded, { event, endpointId }: Readonly<{ event: string; endpointId: EndpointId }>, deliveryId: string) => {
    const known = said.get(deliveryId) ?? { cause, head: `webhook ${event} to ${urlOf(endpointId)}, delivery ${deliveryId}`, ends: [] }
    said.set(deliveryId, known)
    return known.ends
  }
  for (const one of await triesAbout(sources, wanted)) {
    const cause = causes.get(one.source ?? '')
    if (cause !== undefined) delivery(cause, one, one.deliveryId).push(saysOfTry(one))
  }
  for (const one of await waitingAbout(sources, wanted)) {
    const cause = causes.get(one.source)
    if (cause !== undefined) delivery(cause, one, idOfWaiting(one, cause)).push(one.dueAt === null ? 'waits' : `waits until ${one.dueAt}`)
  }
  return [...said.values()].map(({ cause, head, ends }) => factOf(cause, `${head}: ${ends.join('; ')}`))
}
