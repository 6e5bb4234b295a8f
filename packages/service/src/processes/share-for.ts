/** Makes one value at a time, and gives it to all that ask until `ms` after it was made. A failure is not kept. */
export function shareFor<T>(ms: number, make: () => Promise<T>): () => Promise<T> {
  let shared: Promise<T> | null = null
  const forget = (): void => {
    shared = null
  }
  const made = async (): Promise<T> => {
    try {
      const value = await make()
      setTimeout(forget, ms).unref()
      return value
    } catch (error) {
      forget()
      throw error
    }
  }
  return () => {
    shared ??= made()
    return shared
  }
}
