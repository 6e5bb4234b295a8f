/**
 * A sleep that `interrupt` ends. An interrupt while nothing sleeps ends the next sleep at once, unless `reset` comes first. Call `reset` only
 * between sleeps.
 */
export type InterruptibleSleep = Readonly<{ sleep: (ms: number) => Promise<void>; interrupt: () => void; reset: () => void }>

export function createInterruptibleSleep(): InterruptibleSleep {
  let ended = Promise.withResolvers<void>()
  const reset = (): void => {
    ended = Promise.withResolvers<void>()
  }
  return {
    sleep: async (ms) => {
      const timer = setTimeout(ended.resolve, ms)
      await ended.promise
      clearTimeout(timer)
      reset()
    },
    interrupt: () => ended.resolve(),
    reset,
  }
}
