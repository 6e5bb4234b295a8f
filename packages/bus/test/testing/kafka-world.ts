import { randomUUID } from 'node:crypto'
import type { Kafka } from 'kafkajs'
import { createClient } from '../../src/kafka/client.ts'
import { kafkaTransport } from '../../src/kafka/consume/kafka-consumer.ts'
import { runRelay } from '../../src/kafka/relay/relay.ts'
import type { RelayOptions, RunningRelay } from '../../src/kafka/relay/relay-options.ts'
import { type KafkaSettings, topicOf } from '../../src/kafka/settings.ts'
import type { Transport } from '../../src/port.ts'

/** What the tests' relays publish. */
export const RELAYED = ['MessageDelivered', 'MessageComplained']

/** A topic and groups of a test's own, on the run's broker. */
export type KafkaWorld = Readonly<{
  kafka: KafkaSettings
  topic: string
  client: Kafka
  transport: Transport
  relay: (parts: Pick<RelayOptions, 'store' | 'pool' | 'declared' | 'onFault'> & Partial<Pick<RelayOptions, 'types'>>) => RunningRelay
  close: () => Promise<void>
}>

export function kafkaWorld(address: string, partitions = 4): KafkaWorld {
  const kafka: KafkaSettings = { brokers: [address], prefix: `test-${randomUUID()}`, partitions }
  const relays: RunningRelay[] = []
  return {
    kafka,
    topic: topicOf(kafka),
    client: createClient(kafka),
    transport: (options) => kafkaTransport(kafka)(options),
    relay: ({ types = RELAYED, ...parts }) => {
      const relay = runRelay({ ...parts, kafka, types })
      relays.push(relay)
      return relay
    },
    close: async () => {
      await Promise.all(relays.map((relay) => relay.stop()))
    },
  }
}
