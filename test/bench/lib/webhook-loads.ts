import type { Bench } from './bench.ts'
import { load } from './children.ts'
import { costs, type Used, usedBy } from './costs.ts'
import { addEndpoint, drained, endOfLog, moveWorkspace, removeEndpoint, type Telling, untilWaiting, writeContacts } from './telling.ts'
import type { TakenWebhooks } from './webhook-sink.ts'

/** Events a second, where a load says no other rate. */
export const RATE = 500
/** What is delivered to each endpoint. */
export const EVENTS = ['contact.updated', 'list.subscribed']
const A_CALL = 100
/** The deliveries to one endpoint while nothing else goes on. */
const WAITING = 20_000

/** `many`: additions of a hundred contacts to a list, as fast as they can; else one field of one contact, `RATE` times a second. */
type Plan = Readonly<{ many: boolean; endpoints: number; ids: readonly string[]; rate?: number }>
export type Measured = Used & Readonly<{ perSecond: number; received: TakenWebhooks }>

/** The number at which the next load of each kind continues. */
const next = { one: 0, many: 0 }

const loadOf = async ({ service, headers, lists, bench }: Telling, { many, ids, rate = RATE }: Plan) => {
  const common = { url: service.url, headers, seconds: bench.seconds }
  const path = '/api/v1/public'
  if (!many) {
    const one = { method: 'PATCH', path: `${path}/profiles/{value}`, values: ids, body: '{"firstName":"Ada {n}"}' } as const
    const result = await load({ ...common, ...one, connections: 64, rate, from: next.one })
    next.one = result.next
    return result
  }
  const values = Array.from({ length: ids.length / A_CALL }, (_, n) => JSON.stringify(ids.slice(n * A_CALL, (n + 1) * A_CALL)))
  const additions = {
    method: 'POST',
    path: `${path}/lists/{group}/members`,
    values,
    groups: lists,
    body: '{"contactIds":{value}}',
  } as const
  const result = await load({ ...common, ...additions, connections: 8, from: next.many })
  next.many = result.next
  return result
}

/** Something happens for a while, and each occurrence is delivered to every endpoint; the time lasts until the last delivery. */
export async function measureLoad(telling: Telling, plan: Plan): Promise<Measured> {
  const { bench, sink } = telling
  await sink.take()
  const before = await endOfLog(telling)
  const usedBefore = await usedBy(telling)
  const { startedAt } = await loadOf(telling, plan)
  const due = await drained(telling, before, plan.endpoints)
  const received = await sink.take()
  if (received.count !== due) throw new Error(`${due} deliveries were due, ${received.count} were received`)
  const measured = { ...(await costs(telling, usedBefore, due)), perSecond: due / ((received.lastAt - startedAt) / 1_000), received }
  bench.say(
    `delivered ${Math.round(measured.perSecond)}/s, p95 ${received.p95} ms; ${measured.statements.toFixed(2)} statements each; CPU each: node ${measured.node} µs, postgres ${measured.postgres} µs`,
  )
  return measured
}

/** A run that does not count, then the others. */
export async function runs(bench: Bench, service: Telling['service'], one: () => Promise<Measured>): Promise<readonly Measured[]> {
  await one()
  const measured: Measured[] = []
  for (let run = 0; run < bench.runs; run++) {
    service.toggleProfile()
    measured.push(await one())
    service.toggleProfile()
  }
  return measured
}

/** The load beside receivers that hold each request for as long as they may. */
export async function besideStuck(telling: Telling, once: () => Promise<Measured>): Promise<readonly Measured[]> {
  const stuck = [await addEndpoint(telling, '/never', EVENTS), await addEndpoint(telling, '/slow', EVENTS)]
  const measured = await runs(telling.bench, telling.service, once)
  for (const id of stuck) await removeEndpoint(telling, id)
  return measured
}

/** What waited for one endpoint while its workspace was suspended, read from the log, when nothing else goes on. */
export async function drain(telling: Telling): Promise<Measured> {
  const { sink, bench } = telling
  const id = await addEndpoint(telling, '/waiting', ['contact.created'])
  await moveWorkspace(telling, 'suspend')
  await writeContacts(telling, WAITING)
  await untilWaiting(telling, WAITING)
  await sink.take()
  const before = await usedBy(telling)
  const startedAt = Date.now()
  await moveWorkspace(telling, 'resume')
  await untilWaiting(telling, 0)
  const received = await sink.take()
  const measured = { ...(await costs(telling, before, WAITING)), perSecond: WAITING / ((received.lastAt - startedAt) / 1_000), received }
  await removeEndpoint(telling, id)
  bench.say(`drained ${Math.round(measured.perSecond)}/s; CPU each: node ${measured.node} µs, postgres ${measured.postgres} µs`)
  return measured
}
