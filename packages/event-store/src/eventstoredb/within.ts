/** The promise's result, or 'late' after `ms`; a rejection that comes after that is nobody's. */
export const within = async <T>(ms: number, promise: Promise<T>): Promise<T | 'late'> => {
  promise.catch(() => undefined)
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), ms)
  try {
    return await Promise.race([promise, late.promise])
  } finally {
    clearTimeout(timer)
  }
}
