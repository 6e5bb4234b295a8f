import { ConfigError } from '@tidings/config'
import { CommanderError } from 'commander'
import { program } from './program.ts'
import { OperationFailed, WrongUsage } from './terminal/answer.ts'
import { WorkspaceFileError } from './workspace-file/parse.ts'

/** Failures that are a sentence for the operator; anything else is a fault of ours and shows where. */
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
