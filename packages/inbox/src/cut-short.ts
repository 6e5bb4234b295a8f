/**
 * A pause that can be cut short. Cut while there is none, the next one ends at once, unless that was forgotten first: by whoever will look
 * anyway before it pauses. Forget only between pauses.
 */
export type CutShort = Readonly<{ pause: (ms: number) => Promise<void>; cut: () => void; forget: () => void }>

export const cutShort = (): CutShort => {
  let ended = Promise.withResolvers<void>()
  const forget = (): void => {
    ended = Promise.withResolvers<void>()
  }
  return {
    pause: async (ms) => {
      const timer = setTimeout(ended.resolve, ms)
      await ended.promise
      clearTimeout(timer)
      forget()
    },
    cut: () => ended.resolve(),
    forget,
  }
}
