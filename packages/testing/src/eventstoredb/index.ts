export type { Faults } from './faults.ts'
export { type EventStoreFixture, startEventStoreFixture } from './fixture.ts'
