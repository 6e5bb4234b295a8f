import { isPromise, type MaybePromise } from './maybe-promise.ts'

/** What `use` makes of the value: without a promise where the value is there and `use` needs none. */
export function whenKnown<Value, Result>(value: MaybePromise<Value>, use: (value: Value) => MaybePromise<Result>): MaybePromise<Result> {
  return isPromise(value) ? value.then(use) : use(value)
}
