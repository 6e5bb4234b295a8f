/** The recording times of a part's events, by the log's own clock: the oldest, the newest, and whether none is older than one before it (M60). */
export type Times = Readonly<{ oldest: string; newest: string; isOrdered: boolean }>

/** The times of a log without an event. */
export const NO_TIMES: Times = { oldest: '', newest: '', isOrdered: true }

/** Those of more events, behind others. */
export function timesOf(events: readonly Readonly<{ created: string }>[], before: Times): Times {
  let { oldest, newest, isOrdered } = before
  for (const { created } of events) {
    // The events of one append have one time.
    if (created === newest) continue
    if (created > newest) newest = created
    else isOrdered = false
    if (oldest === '' || created < oldest) oldest = created
  }
  return { oldest, newest, isOrdered }
}
