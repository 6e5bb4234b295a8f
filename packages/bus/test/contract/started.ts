import type { Consumer, ConsumerOptions, RunningConsumer } from '../../src/port.ts'
import type { World } from './harness.ts'

/** Runs a consumer from the start of the log; it is stopped after the test. */
export function started({ run, made, db }: World, consumer: Consumer, options: Partial<ConsumerOptions> = {}): RunningConsumer {
  return run({ consumer, log: made.log, pool: db.pool, startAt: 'start', ...options })
}
