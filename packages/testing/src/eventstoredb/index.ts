export { startTcpProxy, type TcpProxy } from '../tcp-proxy.ts'
export { dockerAnswers, startEventStoreContainer } from './container.ts'
export { type EventStoreFixture, type FixtureOptions, startEventStoreFixture } from './fixture.ts'
export { type EventStoreProcess, startEventStoreProcess } from './process.ts'
