/** A value that is usually there at once. */
export type MaybePromise<T> = T | Promise<T>

export const isPromise = <T>(value: MaybePromise<T>): value is Promise<T> => value instanceof Promise
