import { SubjectErased } from '@tidings/codec'

/** What the work gives; null where the person was erased since they were looked up. Then nothing was written. */
export async function unlessErased<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof SubjectErased) return null
    throw error
  }
}
