import { pause } from '@tidings/async'
import { START, secondsSince } from '@tidings/event-store'
import { createGroup, handledUpTo } from '../../checkpoint.ts'
import { leaveTopic } from '../../direct-consumer.ts'
import type { ConsumerOptions, LetterOf, RunningConsumer, Transport } from '../../port.ts'
import { runSessions } from '../../run-sessions.ts'
import type { Tally } from '../../session.ts'
import { unlessStopped } from '../../unless-stopped.ts'
import { explained } from '../explain.ts'
import { type KafkaSettings, topicOf } from '../settings.ts'
import { createMember, openMembership } from './member.ts'
import { timeOfNext } from './offsets.ts'
import { runMember } from './run-member.ts'
import { createTopicReader, type TopicReader } from './topic-reader.ts'

type KafkaConsumerOptions = ConsumerOptions & Readonly<{ kafka: KafkaSettings; topic: TopicReader }>

const STAND_BY_MS = 1_000
const REPORT_AFTER = 5
const AFTER_FAULT_MS = 1_000
const MAX_BATCH = 2_000

/**
 * Runs the consumers of a process from Kafka. Each process has some of the partitions, for all its consumers. Each event takes effect
 * once, because the group's position in a partition moves in the transaction of the effect, and only from the expected position. A group that
 * read the log continues at its position, as soon as no process reads the log for it.
 */
export function kafkaTransport(kafka: KafkaSettings): Transport {
  const topic = createTopicReader(kafka)
  return (options) => {
    const { group, types } = options.consumer
    const forget = topic.expect(group, types)
    const running = runKafkaConsumer({ ...options, kafka, topic })
    return { ...running, stop: () => running.stop().finally(forget) }
  }
}

function runKafkaConsumer({ onFault, ...given }: KafkaConsumerOptions): RunningConsumer {
  const options = {
    ...given,
    ...(onFault && { onFault: (error: unknown, letter?: LetterOf) => onFault(explained(error, given.kafka), letter) }),
  }
  const waited = { for: '', times: 0 }
  return runSessions(options, {
    once: (signal, tally) => runOnce(options, { signal, tally, waited }),
    after: { position: null, lagEvents: null, caughtUp: false },
    afterFaultMs: AFTER_FAULT_MS,
  })
}

type Run = Readonly<{ signal: AbortSignal; tally: Tally; waited: { for: string; times: number } }>

async function runOnce(options: KafkaConsumerOptions, { signal, tally, waited }: Run): Promise<void> {
  const { consumer, log, pool, kafka, topic, startAt, maxBatch = MAX_BATCH, onFault } = options
  await createGroup(pool, consumer.group, startAt === 'start' ? START : await unlessStopped(log.head(), signal))
  // Only this tells how far the group is behind while there is no broker.
  tally.lagSeconds = await unlessStopped(secondsBehind(options), signal)
  const opened = await openMembership(pool, { group: consumer.group, topic: topicOf(kafka), types: consumer.types })
  if (!('wait' in opened)) {
    waited.for = ''
    const reading = { consumer, log, pool, signal, ...(onFault && { onFault }) }
    return await runMember(createMember({ reading, membership: opened, tally, maxBatch }), topic, signal)
  }
  if (opened.elsewhere) await leaveTopic(options, signal, tally)
  else await standBy(opened.wait, options, { signal, tally, waited })
}

/** The age of the first event that the group has not handled, as Postgres and the log have it. */
async function secondsBehind({ consumer, log, pool }: ConsumerOptions): Promise<number> {
  const waitsSince = await timeOfNext(log, await handledUpTo(pool, consumer.group))
  return waitsSince === null ? 0 : secondsSince(waitsSince)
}

/** Reports once what it waits for, after five waits: at a start the relay may need a moment. */
async function standBy(why: string, { onFault }: KafkaConsumerOptions, { signal, waited }: Run): Promise<void> {
  waited.times = waited.for === why ? waited.times + 1 : 1
  waited.for = why
  if (waited.times === REPORT_AFTER) onFault?.(new Error(`The consumer waits: ${why}.`))
  await pause(STAND_BY_MS, signal)
}
