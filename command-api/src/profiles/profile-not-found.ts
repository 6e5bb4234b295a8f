import { Refused } from '@tidings/domain'

/** A contact that is not there is a "Profile" on these routes (contract: Errors). */
export const asProfileNotFound = <T>(work: Promise<T>): Promise<T> =>
  work.catch((error: unknown) => {
    throw error instanceof Refused && error.code === 'contact_not_found' ? new Refused('profile_not_found') : error
  })
