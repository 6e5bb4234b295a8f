import { PATIENT_MS } from '../until.ts'

/** The times of a store whose limits its test does not test. A call without an answer is made again, as in a service. */
export const PATIENT_TIMES = { append: { deadlineMs: PATIENT_MS }, read: { deadlineMs: PATIENT_MS } } as const
