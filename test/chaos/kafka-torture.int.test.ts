import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { torture } from './kafka-torture.ts'

const broker = await runBroker()

test.runIf(broker !== null)(
  'a kill of the broker, of a relay and of a consumer, and consumers that come and go, lose, double and reorder nothing',
  async () => {
    const blows = ['relay', 'add consumer', 'broker', 'consumer', 'remove consumer'] as const
    const result = await torture({ blows, secondsBetween: 1, writers: 4 })
    expect(result).toMatchObject({ lost: 0, doubled: 0, outOfOrder: 0, changed: 0, setAside: 0 })
    expect(result.acked).toBeGreaterThan(100)
  },
  180_000,
)
