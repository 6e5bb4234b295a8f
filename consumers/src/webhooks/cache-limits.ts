/** Content stays in memory no longer: another process may have claimed the delivery, and an erasure elsewhere takes effect later here. */
export const MAX_AGE_MS = 10_000

const FIXED_BYTES = 1_500

/** About how much memory an event, or a contact, takes: only custom properties can be large. */
export function roughBytes({ customProperties }: Readonly<{ customProperties?: object | null }>): number {
  return FIXED_BYTES + (customProperties ? JSON.stringify(customProperties).length : 0)
}
