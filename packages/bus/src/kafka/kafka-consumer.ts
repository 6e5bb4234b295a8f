import { pause } from '@tidings/async'
import { START } from '@tidings/event-store'
import { createGroup } from '../checkpoint.ts'
import { leaveTopic, type Tally } from '../direct-consumer.ts'
import { keepRunning } from '../keep-running.ts'
import type { ConsumerOptions, RunningConsumer } from '../port.ts'
import { unlessStopped } from '../told-to-stop.ts'
import { beMember } from './be-member.ts'
import { explained } from './explain.ts'
import { openMembership } from './membership.ts'
import { type KafkaSettings, topicOf } from './settings.ts'
import { newMember } from './state.ts'

export type KafkaConsumerOptions = ConsumerOptions & Readonly<{ kafka: KafkaSettings }>

const STAND_BY_MS = 1_000
const PATIENCE = 5
const AFTER_FAULT_MS = 1_000
const MAX_BATCH = 2_000

/**
 * Runs a consumer from Kafka. Every process that runs it is a member of one group and has some of the partitions; each event takes effect
 * once all the same, because the group's place in a partition moves in the transaction of the effect, and only from where it was.
 * A group that read the log goes on from where it was, as soon as no process reads the log for it.
 */
export function runKafkaConsumer({ onFault, ...given }: KafkaConsumerOptions): RunningConsumer {
  const options = { ...given, ...(onFault && { onFault: (error: unknown) => onFault(explained(error, given.kafka)) }) }
  const waited = { for: '', times: 0 }
  return keepRunning(options, {
    once: (signal, tally) => runOnce(options, { signal, tally, waited }),
    after: { position: null, lagEvents: null, caughtUp: false, lagSeconds: 0 },
    afterFaultMs: AFTER_FAULT_MS,
  })
}

type Run = Readonly<{ signal: AbortSignal; tally: Tally; waited: { for: string; times: number } }>

async function runOnce(options: KafkaConsumerOptions, { signal, tally, waited }: Run): Promise<void> {
  const { consumer, log, pool, kafka, startAt, maxBatch = MAX_BATCH, onFault } = options
  await createGroup(pool, consumer.group, startAt === 'start' ? START : await unlessStopped(log.head(), signal))
  const opened = await openMembership(pool, { group: consumer.group, topic: topicOf(kafka), types: consumer.types })
  if (!('wait' in opened)) {
    waited.for = ''
    const reading = { consumer, log, pool, signal, ...(onFault && { onFault }) }
    return await beMember(newMember({ reading, membership: opened, tally, maxBatch }), kafka, signal)
  }
  if (opened.elsewhere) await leaveTopic(options, signal, tally)
  else await standBy(opened.wait, options, { signal, tally, waited })
}

/** Says once what is waited for, when that is more than the moment in which everything starts. */
async function standBy(why: string, { onFault }: KafkaConsumerOptions, { signal, waited }: Run): Promise<void> {
  waited.times = waited.for === why ? waited.times + 1 : 1
  waited.for = why
  if (waited.times === PATIENCE) onFault?.(new Error(`The consumer waits: ${why}.`))
  await pause(STAND_BY_MS, signal)
}
