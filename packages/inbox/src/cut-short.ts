/** A pause that can be cut short; cut while there is none, the next one ends at once. */
export type CutShort = Readonly<{ pause: (ms: number) => Promise<void>; cut: () => void }>

export const cutShort = (): CutShort => {
  let ended = Promise.withResolvers<void>()
  return {
    pause: async (ms) => {
      const timer = setTimeout(ended.resolve, ms)
      await ended.promise
      clearTimeout(timer)
      ended = Promise.withResolvers<void>()
    },
    cut: () => ended.resolve(),
  }
}
