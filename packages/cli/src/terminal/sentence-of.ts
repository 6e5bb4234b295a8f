import { ConfigError, OperationFailed } from '@tidings/config'
import { WorkspaceFileError } from '@tidings/provisioning/workspace-file'
import { WrongUsage } from './answer.ts'

/** The message alone where it is written for the operator; the stack of any other error. */
export function sentenceOf(error: unknown): string {
  if (error instanceof OperationFailed || error instanceof WrongUsage) return error.message
  if (error instanceof ConfigError || error instanceof WorkspaceFileError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
