import type { Bench } from '../lib/bench.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import { type CountedService, startCounted } from '../lib/statements.ts'
import { mail, type Sending, sendAll, startSending } from './send.ts'

/** What one message costs. */
type Cost = Readonly<{ perSecond: number; nodeUs: number; postgresUs: number; statements: number }>

/** A service that sends mail, and what its runs cost. */
export type Sender = Readonly<{ name: string; sending: Sending<CountedService>; costs: Cost[] }>

export async function startSender(bench: Bench, name: string, env: Readonly<Record<string, string>>): Promise<Sender> {
  return { name, sending: await startSending(bench, { channel: mail, env }, startCounted), costs: [] }
}

const sendOnce = async ({ sending }: Sender, seconds: number, from: number): Promise<Cost & Readonly<{ next: number }>> => {
  const before = await sending.service.statements()
  const { load, messages, perSecond, costs } = await sendAll(sending, seconds, from)
  return { ...costs, perSecond, next: load.next, statements: ((await sending.service.statements()) - before) / messages }
}

/** One after the other in each run, so that all see the same minutes. */
export async function sendAlternately(bench: Bench, senders: readonly Sender[]): Promise<void> {
  const next = senders.map(() => 0)
  for (let run = 0; run <= bench.runs; run++) {
    for (const [n, sender] of senders.entries()) {
      if (run > 0) sender.sending.service.toggleProfile()
      const cost = await sendOnce(sender, 2 * bench.seconds, next[n] ?? 0)
      if (run > 0) sender.sending.service.toggleProfile()
      next[n] = cost.next
      const costs = `node ${Math.round(cost.nodeUs)} µs, postgres ${Math.round(cost.postgresUs)} µs, statements ${cost.statements.toFixed(2)}`
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${sender.name.padEnd(12)} ${Math.round(cost.perSecond)}/s, ${costs}`)
      if (run > 0) sender.costs.push(cost)
    }
  }
}

/** `what` of the first, with the second as the baseline, and what a message costs either. `cpu`: the target of Node's and Postgres' CPU together. */
export function sendingRows(what: string, senders: readonly [Sender, Sender], cpu?: Readonly<{ atMost: number }>): readonly ReportRow[] {
  const compared = (name: string, unit: string, figure: (cost: Cost) => number, target?: Readonly<{ atMost: number }>): ReportRow => {
    const [value, baseline] = [median(senders[0].costs.map(figure)), median(senders[1].costs.map(figure))]
    return row(name, unit, value, { baseline, ...(target && { target }) })
  }
  return [
    compared(what, '/s', ({ perSecond }) => perSecond),
    compared('  CPU an email, Node and Postgres', 'µs', ({ nodeUs, postgresUs }) => nodeUs + postgresUs, cpu),
    compared('  CPU an email, Node', 'µs', ({ nodeUs }) => nodeUs),
    compared('  CPU an email, Postgres', 'µs', ({ postgresUs }) => postgresUs),
    compared('  statements an email', '', ({ statements }) => statements),
  ]
}
