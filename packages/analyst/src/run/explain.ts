import { UnknownEventType } from '@tidings/codec'
import { OperationFailed } from '@tidings/config'
import { LogWentBack } from '@tidings/event-store'
import { isRetryable } from '@tidings/postgres'
import { ApplyFailed } from './fold.ts'

type Run = Readonly<{ file: Readonly<{ name: string }>; schema: string }>

/** The file and the line where the stack passes it. */
const lineIn = (file: string, error: unknown): string | null => {
  const stack = error instanceof Error ? (error.stack ?? '').split('\n') : []
  const line = /:(\d+):\d+\)?$/.exec(stack.find((entry) => entry.includes(`/${file}:`)) ?? '')?.[1]
  return line === undefined ? null : `${file}:${line}`
}

const applyFailed = ({ event, count, message, cause }: ApplyFailed, { file, schema }: Run): string => {
  const first = `${event.type} at ${event.position}`
  const where = [lineIn(file.name, cause), message].filter((part) => part !== null).join(': ')
  const what = count === 1 ? first : `${count} events, the first of them ${first}`
  return `${file.name} could not apply ${what} (${where}): nothing of that batch was kept in schema ${schema}; correct the file and run it with --restart.`
}

const isRefusal = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  typeof error.code === 'string' &&
  /^(2[0-9A-Z]|3[0-9A-Z]|4[0-9A-Z]|5[4-5])[0-9A-Z]{3}$/.test(error.code)

const sentenceOf = (error: unknown, run: Run): string | null => {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof ApplyFailed) return applyFailed(error, run)
  if (error instanceof UnknownEventType) return `${message}: run it with the newer version of Tidings.`
  if (error instanceof LogWentBack) return `${message}: fill the schema anew with --restart when the log is whole again.`
  if (isRetryable(error)) return `The log or the database went away (${message}): run it again, and it goes on where it was.`
  if (isRefusal(error))
    return `Postgres refused what ${run.file.name} writes to schema ${run.schema} (${message}): nothing of that batch was kept; correct the file and run it with --restart.`
  return null
}

/** The one sentence for what ended a run; anything that is not foreseen as it is. */
export function explained(error: unknown, run: Run): unknown {
  const sentence = sentenceOf(error, run)
  return sentence === null ? error : new OperationFailed(sentence, { cause: error })
}
