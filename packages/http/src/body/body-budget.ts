/** Bytes of request bodies that are held at this moment, over all requests: read, being read, or parsed and not yet answered. */
export type BodyBudget = Readonly<{
  /** Takes the bytes, or says false when they do not fit. */
  take: (bytes: number) => boolean
  give: (bytes: number) => void
  inFlight: () => number
}>

export const bodyBudget = (limit: number): BodyBudget => {
  let held = 0
  return {
    take: (bytes) => {
      if (held + bytes > limit) return false
      held += bytes
      return true
    },
    give: (bytes) => {
      held -= bytes
    },
    inFlight: () => held,
  }
}
