/** What the fixture can be set to do wrong. Every switch is off until a test turns it on, and stays on until it turns it off. */
export type Faults = {
  /** Takes batch appends and stores them, but never answers. */
  swallowAnswers: boolean
  /** Takes batch appends and neither stores nor answers them. */
  swallowAppends: boolean
  /** Sends an unrequested answer before the real one. */
  unknownCorrelation: boolean
  /** Answers batch appends with an error that has no details. */
  errorWithoutDetails: boolean
  /** Answers batch appends with "Server Is Busy". */
  serverBusy: boolean
  /** Answers batch appends with an unknown status, under this type name. */
  unknownStatus: string | undefined
  /** Fails the whole append call with INVALID_ARGUMENT at each append to this stream, and stores none of what it has not answered. */
  invalidStream: string | undefined
  /** Says that another node leads, and where: to every append, and to reads that ask for the leader. Gossip says so too. */
  notLeader: Readonly<{ host: string; port: number }> | undefined
  /** Nodes that follow this one; gossip lists them. */
  followers: readonly Readonly<{ host: string; port: number }>[]
  /** The newest events of the log that `$all` lacks here: a follower has not got them yet. */
  behindBy: number
  /** Cut off from its cluster: says that it does not know who leads. */
  noLeader: boolean
  /** Stores a batch append, then resets every connection instead of answering. */
  dropAfterAppend: boolean
  /** Milliseconds by which the server's clock is ahead. */
  clockAheadMs: number
  /** Milliseconds before a batch append is answered. */
  answerDelayMs: number
  /** Subscriptions are confirmed, then say nothing more. */
  stallSubscriptions: boolean
  /** Refuses GetSupportedMethods. */
  featuresUnavailable: boolean
  /** Does not list BatchAppend, as servers before 21.10. */
  withoutBatchAppend: boolean
}

export function noFaults(): Faults {
  return {
    swallowAnswers: false,
    swallowAppends: false,
    unknownCorrelation: false,
    errorWithoutDetails: false,
    serverBusy: false,
    unknownStatus: undefined,
    invalidStream: undefined,
    notLeader: undefined,
    followers: [],
    behindBy: 0,
    noLeader: false,
    dropAfterAppend: false,
    clockAheadMs: 0,
    answerDelayMs: 0,
    stallSubscriptions: false,
    featuresUnavailable: false,
    withoutBatchAppend: false,
  }
}
