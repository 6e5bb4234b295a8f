import type { Bench, Group } from '../lib/bench.ts'
import { load } from '../lib/children.ts'
import { idsIn, MESSAGES_PATH } from '../lib/messages.ts'
import { median, row } from '../lib/report.ts'
import { type Sender, sendAlternately, sendingRows, startSender } from './compare-sendings.ts'

const CONNECTIONS = 64

const readOnce = async ({ sending: { service, workspace } }: Sender, ids: readonly string[], seconds: number): Promise<number> => {
  const plan = { url: service.url, method: 'GET', path: `${MESSAGES_PATH}/{value}`, headers: workspace.headers, values: ids } as const
  return (await load({ ...plan, connections: CONNECTIONS, seconds, from: 0 })).perSecond
}

/** Messages read by id a second, of each sender the median of the runs. */
const readAlternately = async (bench: Bench, senders: readonly Sender[]): Promise<readonly number[]> => {
  const ids = await Promise.all(senders.map(({ sending }) => idsIn(sending.service.databaseUrl, 'read.messages')))
  const rates = senders.map((): number[] => [])
  for (let run = 0; run <= bench.runs; run++) {
    for (const [n, sender] of senders.entries()) {
      const rate = await readOnce(sender, ids[n] ?? [], bench.seconds)
      bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${sender.name.padEnd(12)} ${Math.round(rate)} read/s`)
      if (run > 0) rates[n]?.push(rate)
    }
  }
  return rates.map(median)
}

/** Two processes on one port, beside one: what a second one gives on this machine. */
export const processes: Group = {
  name: 'processes',
  run: async (bench) => {
    const senders: [Sender, Sender] = [
      await startSender(bench, 'two', { TIDINGS_PROCESSES: '2' }),
      await startSender(bench, 'one', { TIDINGS_PROCESSES: '1' }),
    ]
    await sendAlternately(bench, senders)
    const [two = Number.NaN, one = Number.NaN] = await readAlternately(bench, senders)
    return [
      ...sendingRows('accepted, sent over SMTP and `sent` visible, by two processes', senders),
      row('messages read by id, from two processes', '/s', two, { baseline: one }),
    ]
  },
}
