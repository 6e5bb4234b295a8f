import { WrongExpectedRevision } from '../errors.ts'
import { type Appended, type ExpectedRevision, START } from '../port.ts'
import type { Reader } from './reader.ts'

/** Nothing to write is a question: does the stream stand where the writer thinks? EventStoreDB would answer it with a position of 0. */
export const emptyAppend = async (reader: Reader, stream: string, expected: ExpectedRevision): Promise<Appended> => {
  const [last] = await reader.readStream(stream, { direction: 'backwards', limit: 1 })
  const current = last?.revision ?? null
  const fits =
    expected === 'any' ||
    (expected === 'no_stream' ? current === null : expected === 'stream_exists' ? current !== null : expected === current)
  if (!fits) throw new WrongExpectedRevision(stream, current)
  return { revision: current ?? -1, position: last?.position ?? START, duplicate: false }
}
