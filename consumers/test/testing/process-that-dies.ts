class Died extends Error {
  override readonly name = 'Died'
}

export type ProcessThatDies = Readonly<{ mortal: Mortal; hasDied: () => boolean }>
export type Mortal = <Args extends readonly unknown[], Result>(
  call: (...args: Args) => Promise<Result>,
) => (...args: Args) => Promise<Result>

export const immortal: Mortal = (call) => call

/** A process that dies at its nth point: right before or right after one of the calls that are wrapped. Then nothing of it goes on. */
export function processThatDies(at: number): ProcessThatDies {
  let points = 0
  const point = (): void => {
    if (points++ >= at) throw new Died(`at point ${at}`)
  }
  return {
    mortal:
      (call) =>
      async (...args) => {
        point()
        const result = await call(...args)
        point()
        return result
      },
    hasDied: () => points > at,
  }
}
