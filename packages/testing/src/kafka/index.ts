export { startTestBroker, type TestBroker } from './broker.ts'

export { runBroker } from './run-broker.ts'
export { KAFKA_USER } from './secure-listeners.ts'
