const POSITION = /^\d{1,18}$/

/** The position in a notification. Any client may notify the channel: other payloads count as position 0, which only triggers a check. */
export function positionIn(payload: string): bigint {
  return POSITION.test(payload) ? BigInt(payload) : 0n
}
