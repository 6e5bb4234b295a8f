import { ConfigError, OperationFailed } from '@tidings/config'
import { WorkspaceFileError } from '@tidings/provisioning/workspace-file'
import { CommanderError } from 'commander'
import { program } from './program.ts'
import { WrongUsage } from './terminal/answer.ts'

/** The message alone where it is written for the operator; the stack of any other error. */
const sentenceOf = (error: unknown): string => {
  if (error instanceof OperationFailed || error instanceof WrongUsage) return error.message
  if (error instanceof ConfigError || error instanceof WorkspaceFileError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

try {
  await program().parseAsync()
} catch (error) {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exit(error instanceof WrongUsage ? 2 : 1)
}
