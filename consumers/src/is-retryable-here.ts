import { WrongMasterKey } from '@tidings/codec'
import { isRetryable } from '@tidings/postgres'

/** Whether this process can succeed later. Where it lacks a master key, only another process can. */
export function isRetryableHere(error: unknown): boolean {
  return isRetryable(error) && !(error instanceof WrongMasterKey)
}
