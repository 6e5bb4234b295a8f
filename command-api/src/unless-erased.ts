import { SubjectErased } from '@tidings/codec'
import { unavailable } from '@tidings/http'

/** The result of the work; null if the person was erased since the look-up. Then nothing was written. */
export async function unlessErased<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work
  } catch (error) {
    if (error instanceof SubjectErased) return null
    throw error
  }
}

/** A person was erased between being looked up and being written about: asked again, the request does not find them any more. */
export function orUnavailable(error: unknown): never {
  throw error instanceof SubjectErased ? unavailable() : error
}
