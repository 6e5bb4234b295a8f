/** A value that is usually there at once. */
export type MaybePromise<T> = T | Promise<T>

export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return value instanceof Promise
}

/** Applies `use` to the value: without a promise where the value is there and `use` needs none. */
export function whenKnown<Value, Result>(value: MaybePromise<Value>, use: (value: Value) => MaybePromise<Result>): MaybePromise<Result> {
  return isPromise(value) ? value.then(use) : use(value)
}

/** The reason that blocks something now, or null. A judge that had to read is asked once more: its earlier knowledge may be outdated. */
export function judgedNow<Block>(judge: () => MaybePromise<Block | null>): MaybePromise<Block | null> {
  const block = judge()
  return isPromise(block) ? block.then(async (first) => first ?? (await judge())) : block
}
