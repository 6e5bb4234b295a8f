/** Another process may have taken the delivery, and an erasure elsewhere is heard of later: no content is kept longer in memory. */
export const MAX_AGE_MS = 10_000

const FIXED_BYTES = 1_500

/** About how much memory an event, or a contact, takes: only free properties can be large. */
export const roughBytes = ({ customProperties: free }: Readonly<{ customProperties?: object | null }>): number =>
  FIXED_BYTES + (free ? JSON.stringify(free).length : 0)
