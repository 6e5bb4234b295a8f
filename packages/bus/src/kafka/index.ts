export { runKafkaConsumer } from './kafka-consumer.ts'
export { type RelayOptions, type RelayProgress, type RunningRelay, runRelay } from './relay.ts'
export type { KafkaLog, KafkaSettings } from './settings.ts'
