/** A whole proof is in memory while it is made; more events than these are for the command line. */
export const MOST_EVENTS = 5_000
