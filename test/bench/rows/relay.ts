import { randomUUID } from 'node:crypto'
import type { Bench, Group } from '../lib/bench.ts'
import { runScript } from '../lib/children.ts'
import { startKafka } from '../lib/kafka.ts'
import { startPostgres } from '../lib/postgres.ts'
import { median, type ReportRow, row } from '../lib/report.ts'
import type { RelayAnswer, RelayInput } from '../workers/relay.ts'
import type { WriteMessagesInput } from '../workers/write-messages.ts'

type Log = Readonly<{ kind: WriteMessagesInput['kind']; type: string; events: number }>

const SMALL: Log = { kind: 'delivered', type: 'MessageDelivered', events: 200_000 }
const EMAILS: Log = { kind: 'accepted', type: 'EmailAccepted', events: 60_000 }

const rateOf = async (bench: Bench, broker: string, { kind, type, events }: Log): Promise<number> => {
  const url = await startPostgres(bench)
  bench.say(`writing a log of ${events} events`)
  await runScript('workers/write-messages.ts', { url, kind, events } satisfies WriteMessagesInput)
  const rates: number[] = []
  for (let run = 0; run <= bench.runs; run++) {
    const input: RelayInput = { url, broker, prefix: `bench-${randomUUID()}`, events, type }
    const { published, seconds, cpuSeconds } = await runScript<RelayAnswer>('workers/relay.ts', input)
    const rate = published / seconds
    const cpu = ((cpuSeconds * 1e6) / published).toFixed(1)
    bench.say(`${run === 0 ? 'warm-up' : `run ${run}`}: ${Math.round(rate)}/s, CPU of Node ${cpu} µs an event`)
    if (run > 0) rates.push(rate)
  }
  return median(rates)
}

/** Events a second from the log on Postgres to a topic with 12 partitions of one broker, checkpoint included; each run in a new process. */
export const relay: Group = {
  name: 'relay',
  run: async (bench): Promise<readonly ReportRow[]> => {
    const broker = await startKafka(bench)
    if (broker === null) return []
    return [
      row('relayed to Kafka, small events', 'events/s', await rateOf(bench, broker, SMALL), { target: { atLeast: 20_000 } }),
      row('relayed to Kafka, emails with 2 kB of html', 'events/s', await rateOf(bench, broker, EMAILS)),
    ]
  },
}
