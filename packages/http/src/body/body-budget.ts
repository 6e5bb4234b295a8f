/** The bytes of one request's body. `take` says false when they do not fit, or when the reservation was released. */
type BodyReservation = Readonly<{
  take: (bytes: number) => boolean
  /** Gives everything back; only the first call does anything. */
  release: () => void
}>

/** Bytes of request bodies that are reserved at this moment, over all requests: read, being read, or parsed and not yet answered. */
export type BodyBudget = Readonly<{ reserve: (address: string) => BodyReservation; inFlight: () => number }>

/** `total` bytes for everybody, of which the bodies of one address take at most `share`. */
export type BudgetLimits = Readonly<{ total: number; share: number }>

export function bodyBudget({ total, share }: BudgetLimits): BodyBudget {
  let inFlight = 0
  // An address without bytes has no entry: there are never more entries than bodies.
  const byAddress = new Map<string, number>()

  const add = (address: string, bytes: number): void => {
    inFlight += bytes
    const taken = (byAddress.get(address) ?? 0) + bytes
    if (taken === 0) byAddress.delete(address)
    else byAddress.set(address, taken)
  }
  const reserve = (address: string): BodyReservation => {
    let taken = 0
    let released = false
    return {
      take: (bytes) => {
        if (released || inFlight + bytes > total || (byAddress.get(address) ?? 0) + bytes > share) return false
        taken += bytes
        add(address, bytes)
        return true
      },
      release: () => {
        if (released) return
        released = true
        add(address, -taken)
      },
    }
  }
  return { reserve, inFlight: () => inFlight }
}
