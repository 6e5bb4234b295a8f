import { positionIn, textIn } from './decode-parts.ts'
import type { AppendOutcome } from './outcome.ts'
import { ProtobufReader } from './protobuf-reader.ts'

type Written = Extract<AppendOutcome, { kind: 'written' }>

/** Answer to one append. `written` only where the append was plainly written; all else is in `bytes`, for `answerOutcome`. */
export type AppendAnswer = Readonly<{ id: string; written: Written | undefined; bytes: Buffer }>

/** Numbers of the fields of BatchAppendResp and of the messages within it. */
const ANSWER = { correlationId: 1, error: 2, success: 3 } as const
const UUID_STRING = 2
const SUCCESS = { revision: 1, noStream: 2, position: 3, noPosition: 4 } as const

/** Throws RangeError where the bytes are no message. */
export function decodeAnswer(bytes: Buffer): AppendAnswer {
  let id = ''
  let written: Written | undefined
  for (const answer = new ProtobufReader(bytes); answer.next(); ) {
    if (answer.field === ANSWER.correlationId) id = textIn(answer.message(), UUID_STRING)
    else if (answer.field === ANSWER.success) written = decodeSuccess(answer.message())
    else if (answer.field === ANSWER.error) written = undefined
  }
  return { id, written, bytes }
}

const decodeSuccess = (success: ProtobufReader): Written | undefined => {
  let revision = Number.NaN
  let position: Written['position']
  while (success.next()) {
    if (success.field === SUCCESS.revision) revision = success.number()
    else if (success.field === SUCCESS.position) position = positionIn(success.message())
    else if (success.field === SUCCESS.noStream) revision = Number.NaN
    else if (success.field === SUCCESS.noPosition) position = undefined
  }
  return Number.isSafeInteger(revision) ? { kind: 'written', revision, position } : undefined
}
