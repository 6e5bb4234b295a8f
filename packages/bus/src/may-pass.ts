import { Fenced } from '@tidings/leases'
import { isRetryable } from '@tidings/postgres'

/** No fault of the events: something that the consumer stands on is away (the database, the log), or the group is somebody else's. */
export const mayPass = (error: unknown): boolean => error instanceof Fenced || isRetryable(error)
