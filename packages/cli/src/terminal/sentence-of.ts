import { isOutage } from '@tidings/commands'
import { ConfigError, OperationFailed } from '@tidings/config'
import { databaseFault } from '@tidings/postgres'
import { WorkspaceFileError } from '@tidings/provisioning/workspace-file'
import { WrongUsage } from './answer.ts'

/** The message alone where it is written for the operator, a sentence for what is away; the stack of any other error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OperationFailed || error instanceof WrongUsage) return error.message
  if (error instanceof ConfigError || error instanceof WorkspaceFileError) return error.message
  if (!(error instanceof Error)) return String(error)
  // An error of a file has its path.
  if (isOutage(error) && !('path' in error)) return sentenceOfOutage(error)
  return error.stack ?? error.message
}

const sentenceOfOutage = (error: Error): string => {
  const fault = databaseFault(error)
  if (fault !== null) return `It cannot go on: ${fault.said}. ${fault.mend}`
  return `The log or the database does not answer (${error.message}): run the command again when it does.`
}
