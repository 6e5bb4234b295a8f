import { startEventStoreProcess } from '@tidings/testing/eventstoredb'
import type { Bench, Group } from '../lib/bench.ts'
import { median, type Row, row } from '../lib/report.ts'
import { type CountedService, startCounted } from '../lib/statements.ts'
import { mail, type Sending, sendAll, startSending } from './send.ts'

/** What one message costs on one store. */
type Cost = Readonly<{ perSecond: number; nodeUs: number; postgresUs: number; statements: number }>

type Store = Readonly<{ name: string; sending: Sending<CountedService>; costs: Cost[] }>

const startStore = async (bench: Bench, name: string, env: Readonly<Record<string, string>>): Promise<Store> => ({
  name,
  sending: await startSending(bench, { channel: mail, env }, startCounted),
  costs: [],
})

const sendOnce = async ({ sending }: Store, seconds: number, from: number): Promise<Cost & Readonly<{ next: number }>> => {
  const before = await sending.service.statements()
  const { load, messages, perSecond, costs } = await sendAll(sending, seconds, from)
  return { ...costs, perSecond, next: load.next, statements: ((await sending.service.statements()) - before) / messages }
}

/** One store after the other in each run, so that all see the same minutes. */
const alternate = async (bench: Bench, stores: readonly Store[]): Promise<void> => {
  const next = stores.map(() => 0)
  for (let run = 0; run <= bench.runs; run++) {
    for (const [n, store] of stores.entries()) {
      if (run > 0) store.sending.service.toggleProfile()
      const cost = await sendOnce(store, 2 * bench.seconds, next[n] ?? 0)
      if (run > 0) store.sending.service.toggleProfile()
      next[n] = cost.next
      const costs = `node ${Math.round(cost.nodeUs)} µs, postgres ${Math.round(cost.postgresUs)} µs, statements ${cost.statements.toFixed(2)}`
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${store.name.padEnd(12)} ${Math.round(cost.perSecond)}/s, ${costs}`)
      if (run > 0) store.costs.push(cost)
    }
  }
}

/**
 * `send` with the log in EventStoreDB, beside the same on the embedded log. The fixture of the tests stands in for the server, in a process of its
 * own whose time does not count. At least 0.6 of embedded: as much CPU of Node and Postgres a message as 1 / 0.6 of it.
 */
export const sendEventStoreDb: Group = {
  name: 'send-eventstoredb',
  run: async (bench) => {
    const server = await startEventStoreProcess()
    bench.after(server.stop)
    const stores = [
      await startStore(bench, 'EventStoreDB', { TIDINGS_EVENT_STORE: server.connectionString }),
      await startStore(bench, 'embedded', {}),
    ]
    await alternate(bench, stores)
    const figures = (figure: (cost: Cost) => number) => {
      const [value = Number.NaN, baseline = Number.NaN] = stores.map(({ costs }) => median(costs.map(figure)))
      return { value, baseline }
    }
    const compared = (name: string, unit: string, figure: (cost: Cost) => number, target?: Readonly<{ atMost: number }>): Row => {
      const { value, baseline } = figures(figure)
      return row(name, unit, value, { baseline, ...(target && { target }) })
    }
    return [
      compared('accepted, sent over SMTP and `sent` visible, log in EventStoreDB', '/s', ({ perSecond }) => perSecond),
      compared('  CPU an email, Node and Postgres', 'µs', ({ nodeUs, postgresUs }) => nodeUs + postgresUs, { atMost: 1.67 }),
      compared('  CPU an email, Node', 'µs', ({ nodeUs }) => nodeUs),
      compared('  CPU an email, Postgres', 'µs', ({ postgresUs }) => postgresUs),
      compared('  statements an email', '', ({ statements }) => statements),
    ]
  },
}
