export { type DirectConsumerOptions, runDirectConsumer } from './direct-consumer.ts'
export * from './port.ts'
