import type { CataloguedEvent } from '@tidings/contracts'
import { eventFact, flows, flowsStream, type ListId, type WorkspaceId } from '@tidings/domain'
import { forWorkspace } from '@tidings/read-models'
import type { DashboardDependencies } from '../dependencies.ts'
import { namesOf } from '../names.ts'

type Listener = CataloguedEvent['flows'][number]
type AskedListeners = Readonly<{ workspaceId: WorkspaceId; seesWebhooks: boolean }>
type EventListeners = Readonly<{
  webhooks: ReadonlyMap<string, readonly Listener[]>
  flows: ReadonlyMap<string, readonly Listener[]>
  lists: ReadonlyMap<string, readonly Listener[]>
  everyEvent: readonly Listener[]
}>

/** The listeners of each event: endpoints and lists by the read side, flows by the log. */
export async function listenersOf(
  deps: Pick<DashboardDependencies, 'commands' | 'db' | 'pool'>,
  { workspaceId, seesWebhooks }: AskedListeners,
): Promise<EventListeners> {
  const [endpoints, entered, lists] = await Promise.all([
    seesWebhooks ? endpointsOf(deps, workspaceId) : [],
    flowsByEvent(deps, workspaceId),
    listsByFact(deps, workspaceId),
  ])
  return {
    webhooks: grouped(endpoints.flatMap(({ events, listener }) => events.map((event) => [event, listener] as const))),
    flows: grouped(entered),
    lists: grouped(lists),
    everyEvent: endpoints.filter(({ events }) => events.includes('*')).map(({ listener }) => listener),
  }
}

const grouped = (pairs: readonly (readonly [string, Listener])[]): ReadonlyMap<string, readonly Listener[]> =>
  new Map([...Map.groupBy(pairs, ([event]) => event)].map(([event, of]) => [event, of.map(([, listener]) => listener)]))

const endpointsOf = async ({ db }: Pick<DashboardDependencies, 'db'>, workspaceId: WorkspaceId) => {
  const rows = await forWorkspace(db, workspaceId).webhooks().select(['id', 'label', 'url', 'events']).orderBy('created_at').execute()
  return rows.map(({ id, label, url, events }) => ({ listener: { id, name: label ?? url }, events }))
}

const flowsByEvent = async ({ commands }: Pick<DashboardDependencies, 'commands'>, workspaceId: WorkspaceId) => {
  const { state } = await commands.load({ decider: flows, stream: flowsStream(workspaceId), workspaceId })
  return Object.entries(state).flatMap(([id, { name, trigger, retired }]) =>
    trigger.type === 'custom_event' && !retired ? [[trigger.event, { id, name }] as const] : [],
  )
}

type FactRow = Readonly<{ fact: string; list_id: ListId }>

const listsByFact = async ({ db, pool }: Pick<DashboardDependencies, 'db' | 'pool'>, workspaceId: WorkspaceId) => {
  const before = eventFact('')
  const { rows } = await pool.query<FactRow>(
    'select fact, list_id from lists.rule_fact where workspace_id = $1 and starts_with(fact, $2) order by list_id',
    [workspaceId, before],
  )
  const names = await namesOf(forWorkspace(db, workspaceId), { lists: rows.map(({ list_id }) => list_id) })
  return rows.map(({ fact, list_id: id }) => [fact.slice(before.length), { id, name: names.get(id) ?? null }] as const)
}
