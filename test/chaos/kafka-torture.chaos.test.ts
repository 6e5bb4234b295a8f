import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { type Blow, torture } from './kafka-torture.ts'

const broker = await runBroker()
const ROUNDS = Number(process.env.CHAOS_ROUNDS ?? 20)
const BLOWS: readonly Blow[] = ['broker', 'relay', 'consumer', 'add consumer', 'relay', 'postgres', 'remove consumer', 'relay', 'consumer']

test.runIf(broker !== null)(
  `${ROUNDS} blows against broker, relay, consumers and Postgres lose, double and reorder nothing`,
  async () => {
    const blows = Array.from({ length: ROUNDS }, (_, n) => BLOWS[n % BLOWS.length] ?? 'relay')
    const result = await torture({ blows, secondsBetween: 4, writers: 8 })
    console.table(result)
    expect(result).toMatchObject({ lost: 0, doubled: 0, outOfOrder: 0, changed: 0, setAside: 0 })
    expect(result.acked).toBeGreaterThan(1_000)
  },
  3_600_000,
)
