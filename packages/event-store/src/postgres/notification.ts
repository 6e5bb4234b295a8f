const POSITION = /^\d{1,18}$/

/** The position that a notification tells. Anybody may notify the channel: what is not a position says only that something may have come. */
export const positionIn = (payload: string): bigint => (POSITION.test(payload) ? BigInt(payload) : 0n)
