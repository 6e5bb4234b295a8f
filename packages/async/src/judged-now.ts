import { isPromise, type MaybePromise } from './maybe-promise.ts'

/** The reason that blocks something now, or null. A judge that had to read is asked once more: its earlier knowledge may be outdated. */
export function judgedNow<Block>(judge: () => MaybePromise<Block | null>): MaybePromise<Block | null> {
  const block = judge()
  return isPromise(block) ? block.then(async (first) => first ?? (await judge())) : block
}
