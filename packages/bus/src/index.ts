export { releaseGroups } from './checkpoint.ts'
export { runDirectConsumer } from './direct-consumer.ts'
export * from './port.ts'
