export { runDirectConsumer } from './direct-consumer.ts'
export { handledUpTo } from './handled-up-to.ts'
export * from './port.ts'
export { releaseGroups } from './release-leases.ts'
