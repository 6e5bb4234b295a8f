import type { Consumer, ConsumerOptions, RunningConsumer } from '../port.ts'
import type { World } from './harness.ts'

/** Runs a consumer from the start of the log; it is stopped after the test. */
export const started = ({ run, made, db }: World, consumer: Consumer, options: Partial<ConsumerOptions> = {}): RunningConsumer =>
  run({ consumer, log: made.log, pool: db.pool, startAt: 'start', ...options })
