export { startTestBroker, type TestBroker } from './broker.ts'
export { kafkaVersion } from './jars.ts'
export { runBroker } from './run-broker.ts'
export { KafkaSetupError } from './setup-error.ts'
