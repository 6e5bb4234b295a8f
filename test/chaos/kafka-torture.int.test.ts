import { runBroker } from '@tidings/testing/kafka'
import { expect, test } from 'vitest'
import { torture } from './kafka-torture.ts'

const broker = await runBroker()

test.runIf(broker !== null)(
  'a kill of the broker, of a relay and of a consumer, and consumers that come and go, lose, double and reorder nothing',
  async () => {
    // The session of the killed consumer runs out, 10 s, while the others are struck; after a broker's return it would begin anew.
    const blows = ['broker', 'consumer', 'relay', 'add consumer', 'remove consumer'] as const
    const result = await torture({ blows, secondsBetween: 1, writers: 2, pauseMs: 25 })
    expect(result).toMatchObject({ lost: 0, doubled: 0, outOfOrder: 0, changed: 0, setAside: 0 })
    expect(result.acked).toBeGreaterThan(100)
  },
  1_200_000,
)
