import { isPromise, type MaybePromise } from './maybe-promise.ts'

/** What keeps something back now, or null. A judge that read is asked once more: what it knew before the read may have changed. */
export function judgedNow<Block>(judge: () => MaybePromise<Block | null>): MaybePromise<Block | null> {
  const block = judge()
  return isPromise(block) ? block.then(async (first) => first ?? (await judge())) : block
}
