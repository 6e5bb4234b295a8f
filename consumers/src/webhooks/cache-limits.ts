/** Content stays in memory no longer: another process may have claimed the delivery, and an erasure elsewhere takes effect later here. */
export const MAX_AGE_MS = 10_000

const FIXED_BYTES = 1_500

type Sized = Readonly<{ customProperties?: object | null; properties?: object | null }>

/** Estimates the memory of an event or a contact: only the properties of a contact and of an activity can be large. */
export function roughBytes({ customProperties, properties }: Sized): number {
  return FIXED_BYTES + sizeOf(customProperties) + sizeOf(properties)
}

const sizeOf = (properties: object | null | undefined): number => (properties ? JSON.stringify(properties).length : 0)
