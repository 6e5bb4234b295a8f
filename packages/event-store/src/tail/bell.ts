/** Wakes everybody who waits. Take `next()` before looking at what it announces: then no ring is lost between looking and sleeping. */
export type Bell = Readonly<{ next: () => Promise<void>; ring: () => void }>

export const createBell = (): Bell => {
  let coming = Promise.withResolvers<void>()
  return {
    next: () => coming.promise,
    ring: () => {
      const rung = coming
      coming = Promise.withResolvers<void>()
      rung.resolve()
    },
  }
}
