/**
 * Wakes the one reader that waits; a call without a waiter ends the next wait. Each wait ends in a later turn of the event loop, even one that
 * need not wait, so that frequent calls do not starve timers and sockets. It keeps nothing of a wait that is over.
 */
export type Wake = Readonly<{
  call: () => void
  /** True when called, false after `ms`. */
  wait: (ms: number) => Promise<boolean>
}>

export function createWake(): Wake {
  let called = false
  let waiter: (() => void) | undefined
  return {
    call: () => {
      called = true
      waiter?.()
    },
    wait: (ms) =>
      new Promise((resolve) => {
        const end = (byCall: boolean): void => {
          clearTimeout(timer)
          waiter = undefined
          if (byCall) called = false
          setImmediate(resolve, byCall)
        }
        const timer = setTimeout(end, ms, false)
        waiter = () => end(true)
        if (called) end(true)
      }),
  }
}
