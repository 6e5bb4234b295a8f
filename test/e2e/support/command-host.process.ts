import { enableCompileCache } from 'node:module'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { endOf, type HostedCommand, type HostedEnd } from './command-host.ts'

// One process that runs commands of the command line, one after the other, each by the program itself.

enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/tidings', import.meta.url)))
const MAIN = new URL('../../../packages/cli/src/main.ts', import.meta.url).href

/** What ends the program in place of its process. */
class Exit extends Error {
  readonly code: number
  constructor(code: number) {
    super(`exit ${code}`)
    this.code = code
  }
}

process.exit = (code) => {
  throw new Exit(Number(code ?? process.exitCode ?? 0))
}

async function run({ id, args, stdin }: HostedCommand): Promise<void> {
  process.argv = [process.execPath, fileURLToPath(MAIN), ...args]
  process.exitCode = undefined
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from(stdin === '' ? [] : [stdin]) })
  // The program is the module itself: evaluated anew, over the modules that are loaded.
  const failed: unknown = await import(`${MAIN}?${id}`).then(
    () => null,
    (error: unknown) => error,
  )
  if (failed !== null && !(failed instanceof Exit)) throw failed
  const code = failed === null ? Number(process.exitCode ?? 0) : failed.code
  process.exitCode = undefined
  process.stdout.write(endOf(id))
  process.stderr.write(endOf(id))
  process.send?.({ id, code } satisfies HostedEnd)
}

process.on('message', (asked: HostedCommand) => void run(asked))
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'))
