import type { EventStore } from '../../src/port.ts'

/**
 * What an adapter says of itself. Everything not named here is required of all; a scenario whose capability is not declared is not
 * registered. The declarations are in the adapter's test and in the README, as its documentation.
 */
export type Capabilities = Readonly<{
  /** An event id that the stream already has, at the expected revision that is right now: a new event, or refused. (`0e5`) */
  knownIdAtNewRevision: 'appends' | 'refused'
  /** An event id that another stream has: a new event, or refused. */
  sameIdInOtherStream: 'appends' | 'refused'
  /** `duplicate` is true for every repetition (otherwise it may be false). */
  tellsDuplicates: boolean
  /** The repetition of an append whose events are hidden (deleted, truncated) has their position; otherwise a later one. */
  placesHiddenRepetitions: boolean
  /** Positions count 1, 2, 3, … without holes. */
  densePositions: boolean
  /** Appends that one process issues together lie in the log in the order in which they were issued. */
  issueOrder: boolean
  /** `EventStore.appendTogether`: several streams in one append, all or none. */
  appendsTogether: boolean
  /** `EventStore.readMatching`: a read that leaves out events where they are stored. */
  readsMatching: boolean
  /** `pastLimits` of a read: events that limits and deletion hide are never removed. */
  readsPastLimits: boolean
  /** `EventStore.byStream`: one stream after the other. */
  readsByStream: boolean
  /** `Harness.another`: a second instance over the same log. */
  secondInstance: boolean
  /** `Harness.loseConnections`: the connections under the store can be cut. */
  connectionLoss: boolean
  /** `Harness.restart`: the server can be killed and started again with its data. */
  restart: boolean
  /** `Harness.changeLeader`: the node the store talks to can lose its leadership. */
  leaderChange: boolean
  /** `Harness.openWriteTransaction`: an unrelated write transaction can be held open beside the log. */
  openTransactions: boolean
}>

export type Harness = Readonly<{
  /** Opened with a window of at most 64 events where the adapter has one, so that slow subscribers leave it. */
  store: EventStore
  /** The suite closes it. */
  another?: () => Promise<EventStore>
  loseConnections?: () => Promise<void>
  restart?: () => Promise<void>
  changeLeader?: () => Promise<void>
  /** Resolves with what ends the transaction. */
  openWriteTransaction?: () => Promise<() => Promise<void>>
  close: () => Promise<void>
}>

/** What every group of scenarios gets. `store` is the harness's; streams are never shared between scenarios. */
export type Suite = Readonly<{ capabilities: Capabilities; harness: () => Harness; store: () => EventStore }>
