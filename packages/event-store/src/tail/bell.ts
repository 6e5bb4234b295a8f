/** Wakes all waiters. Call `next()` before checking for news: then no ring is lost between the check and the wait. */
export type Bell = Readonly<{ next: () => Promise<void>; ring: () => void }>

export function createBell(): Bell {
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
