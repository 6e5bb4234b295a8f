import { expect } from 'vitest'
import type { Answer } from './client.ts'

type AnswerOutcome = Readonly<{ status: number; success: boolean; message?: string; code?: string }>

/** A refusal as the envelope tells it, in one object to compare. */
export function outcome({ status, body: { success, message, code } }: Answer): AnswerOutcome {
  return {
    status,
    success,
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
  }
}

/** A refusal that has no code. */
export function uncoded(status: number, message: string): AnswerOutcome {
  return { status, success: false, message }
}

/** A refusal by its code; its sentence is for people. */
export function coded(status: number, code: string) {
  return { status, success: false, message: expect.any(String), code }
}

/** The data of an answer that must have this status. */
export function dataOf<Data>({ status, body }: Answer, wanted: number): Data {
  if (status !== wanted) throw new Error(`answered ${status}, not ${wanted}: ${body.message}`)
  return body.data
}
