export { dockerAnswers, type EventStoreContainer, startEventStoreContainer } from './container.ts'
export type { Faults } from './faults.ts'
export { type EventStoreFixture, startEventStoreFixture } from './fixture.ts'
