import { CommanderError } from 'commander'
import { program } from './program.ts'
import { WrongUsage } from './terminal/answer.ts'
import { sentenceOf } from './terminal/sentence-of.ts'
import { isAboutToExit, stopCommandOnSignal } from './terminal/stop-command.ts'

function endFor(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode === 0 ? 0 : 2)
  process.stderr.write(`${sentenceOf(error)}\n`)
  process.exit(error instanceof WrongUsage ? 2 : 1)
}

stopCommandOnSignal()
try {
  await program().parseAsync()
} catch (error) {
  // A command that is being stopped loses its Postgres before the process ends: that is no error of its own.
  if (!isAboutToExit()) endFor(error)
}
