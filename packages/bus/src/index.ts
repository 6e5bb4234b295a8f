export { runDirectConsumer } from './direct-consumer.ts'
export * from './port.ts'
