export { handledByGroups, handledUpTo } from './checkpoint.ts'
export { runDirectConsumer } from './direct-consumer.ts'
export * from './port.ts'
export { releaseGroups } from './release-leases.ts'
