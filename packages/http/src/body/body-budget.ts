/** The bytes of one request's body. `take` says false when they do not fit, or when the hold was released. */
type Hold = Readonly<{
  take: (bytes: number) => boolean
  /** Gives everything back; only the first call does anything. */
  release: () => void
}>

/** Bytes of request bodies that are held at this moment, over all requests: read, being read, or parsed and not yet answered. */
export type BodyBudget = Readonly<{ hold: (address: string) => Hold; inFlight: () => number }>

/** `total` bytes for everybody, of which the bodies of one address hold at most `share`. */
export type BudgetLimits = Readonly<{ total: number; share: number }>

export function bodyBudget({ total, share }: BudgetLimits): BodyBudget {
  let inFlight = 0
  // An address without bytes has no entry: there are never more entries than bodies.
  const byAddress = new Map<string, number>()

  const add = (address: string, bytes: number): void => {
    inFlight += bytes
    const held = (byAddress.get(address) ?? 0) + bytes
    if (held === 0) byAddress.delete(address)
    else byAddress.set(address, held)
  }
  const hold = (address: string): Hold => {
    let held = 0
    let released = false
    return {
      take: (bytes) => {
        if (released || inFlight + bytes > total || (byAddress.get(address) ?? 0) + bytes > share) return false
        held += bytes
        add(address, bytes)
        return true
      },
      release: () => {
        if (released) return
        released = true
        add(address, -held)
      },
    }
  }
  return { hold, inFlight: () => inFlight }
}
