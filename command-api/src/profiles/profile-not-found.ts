import { Refused } from '@tidings/domain'

/** These routes call a contact "Profile", also where it is not found (contract: Errors). */
export function asProfileNotFound<T>(work: Promise<T>): Promise<T> {
  return work.catch((error: unknown) => {
    throw error instanceof Refused && error.code === 'contact_not_found' ? new Refused('profile_not_found') : error
  })
}
