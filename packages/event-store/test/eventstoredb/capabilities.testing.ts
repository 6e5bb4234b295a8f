import type { Capabilities } from '../contract/contract.ts'

/**
 * What EventStoreDB is, on a real server or a fake one. Repetitions are reported only where this process has seen the first time; an id counts as known
 * only in its own stream, and with an exact revision only at the place it would get.
 */
export const CAPABILITIES: Capabilities = {
  knownIdAtNewRevision: 'appends',
  sameIdInOtherStream: 'appends',
  tellsDuplicates: false,
  placesHiddenRepetitions: false,
  densePositions: false,
  issueOrder: true,
  appendsTogether: false,
  readsMatching: false,
  readsPastLimits: false,
  readsByStream: false,
  secondInstance: true,
  connectionLoss: false,
  restart: true,
  leaderChange: false,
  openTransactions: false,
}
