import { TokenQueue } from '../rate/token-queue.ts'
import { AdaptiveRate } from './adaptive-rate.ts'

/** Those who are slowed down together. */
export type Lane = Readonly<{ rate: AdaptiveRate; tokens: TokenQueue }>

/** `takenBefore`: how many of its messages were taken in a second. */
export function laneOf(takenBefore = 0): Lane {
  const rate = new AdaptiveRate(takenBefore)
  const source = { nextAt: () => rate.nextAt(), take: () => rate.take(), giveBack: () => rate.giveBack() }
  return { rate, tokens: new TokenQueue(source) }
}

export function onTaken({ rate, tokens }: Lane): void {
  rate.accepted()
  tokens.wake()
}
