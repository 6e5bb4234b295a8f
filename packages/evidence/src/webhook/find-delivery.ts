import type { Recorded } from '@tidings/codec'
import { originOf, type WorkspaceId } from '@tidings/domain'
import type { Sources } from '../sources.ts'
import { type DeliveryTry, idOfWaiting, oldestWaiting, triesOf, type WaitingDelivery, waitingAbout } from './deliveries.ts'
import { type KnownEndpoint, readEndpoints } from './endpoints.ts'

/** `cause` is null for a test, and for a try that an older version made, which did not keep it. `source`: what the delivery is made from, where that is known. */
export type FoundDelivery = Readonly<{
  endpoint: KnownEndpoint
  event: string
  source: string | null
  cause: Recorded | null
  tries: readonly DeliveryTry[]
  waiting: WaitingDelivery | null
}>

type DeliveryRef = Readonly<{ workspaceId: WorkspaceId; deliveryId: string }>

/** The workspace that a delivery was tried for; where none has tried it, those in which something waits. For the operator, who sees all of them. */
export async function workspacesOfDelivery({ pool }: Pick<Sources, 'pool'>, deliveryId: string): Promise<readonly WorkspaceId[]> {
  const { rows } = await pool.query<Readonly<{ workspace_id: WorkspaceId }>>(
    `with tried as (select workspace_id from webhooks.attempt where delivery_id = $1 limit 1)
     select workspace_id from tried
     union select workspace_id from webhooks.queue where waiting > 0 and not exists (select from tried)`,
    [deliveryId],
  )
  return rows.map((row) => row.workspace_id)
}

/**
 * Finds a delivery by its tries, or among the untried ones that have waited longest. Null if neither has it. What waits is asked for between two looks at the
 * tries: a try that ends it in the meantime is in the second, so that it is never shown as one that neither waits nor has ended.
 */
export async function findDelivery(sources: Sources, wanted: DeliveryRef): Promise<FoundDelivery | null> {
  const endpoints = await readEndpoints(sources, wanted.workspaceId)
  const look = () => triesOf(sources, { ...wanted, endpointIds: endpoints.map(({ id }) => id) })
  const tries = await look()
  if (tries.length > 0) {
    const found = await findTried(sources, wanted, { endpoints, tries })
    return found?.waiting === null ? { ...found, tries: await look() } : found
  }
  return (await findUntried(sources, wanted, endpoints)) ?? (await findTried(sources, wanted, { endpoints, tries: await look() }))
}

type Tried = Readonly<{ endpoints: readonly KnownEndpoint[]; tries: readonly DeliveryTry[] }>

const findTried = async (sources: Sources, { workspaceId }: DeliveryRef, { endpoints, tries }: Tried): Promise<FoundDelivery | null> => {
  const [first] = tries
  const endpoint = endpoints.find(({ id }) => id === first?.endpointId)
  if (first === undefined || endpoint === undefined) return null
  const source = tries.find((one) => one.source !== null)?.source ?? null
  const waiting = source === null ? [] : await waitingAbout(sources, { workspaceId, endpointIds: [endpoint.id], sources: [source] })
  return {
    endpoint,
    event: first.event,
    source,
    cause: source === null ? null : await readSource(sources, workspaceId, source),
    tries,
    waiting: waiting.find(({ event }) => event === first.event) ?? null,
  }
}

/** At most so many of each workspace are looked at: each costs a read of its event. */
const MOST_UNTRIED = 500

const findUntried = async (
  sources: Sources,
  { workspaceId, deliveryId }: DeliveryRef,
  endpoints: readonly KnownEndpoint[],
): Promise<FoundDelivery | null> => {
  const endpointIds = endpoints.map(({ id }) => id)
  for (const waiting of await oldestWaiting(sources, { workspaceId, endpointIds, limit: MOST_UNTRIED })) {
    const { source } = waiting
    const origin = originOf(source)
    const cause = await readSource(sources, workspaceId, source)
    const endpoint = endpoints.find(({ id }) => id === waiting.endpointId)
    const known = origin.kind === 'test' ? { id: origin.testId } : cause
    if (known === null || endpoint === undefined || idOfWaiting(waiting, known) !== deliveryId) continue
    return { endpoint, event: waiting.event, source, cause, tries: [], waiting }
  }
  return null
}

/** The event at `stream@revision`; a test has none. */
const readSource = async ({ log }: Sources, workspaceId: WorkspaceId, source: string): Promise<Recorded | null> => {
  if (originOf(source).kind === 'test') return null
  const at = source.lastIndexOf('@')
  const [event] = await log.readStream(workspaceId, source.slice(0, at), { from: Number(source.slice(at + 1)), limit: 1 })
  return event ?? null
}
