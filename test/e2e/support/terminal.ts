import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A command at a terminal of its own. */
export type Terminal = Readonly<{
  /** What it has shown. */
  shown: () => string
  /** Ctrl-C: the terminal sends SIGINT to every process of the command. */
  interrupt: () => void
  /** Its exit code; a signal that ended it counts 128 more, as in a shell. */
  ended: Promise<number>
  /** Hangs up. */
  close: () => void
}>

/** `script` gives the command a pseudo-terminal; the BSD one takes its words behind the file, and has no `-c`. */
const scriptArguments = (command: string): readonly string[] =>
  process.platform === 'darwin' ? ['-q', '/dev/null', 'sh', '-c', command] : ['-qec', command, '/dev/null']

/** Runs a command of the shell as a person does, in a terminal. */
export function openTerminal(command: string, env: Readonly<Record<string, string>>, cwd: string): Terminal {
  const child: ChildProcess = spawn('script', scriptArguments(command), {
    cwd,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TERM: 'dumb', ...env },
    stdio: 'pipe',
  })
  let shown = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (text: string) => {
      shown += text
    })
  return {
    shown: () => shown,
    interrupt: () => child.stdin?.write('\x03'),
    ended: once(child, 'close').then(([code]) => code),
    close: () => void child.kill('SIGKILL'),
  }
}
