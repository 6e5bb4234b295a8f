import { spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'

/** One command for the process that runs them, and what it says when that has ended. */
export type HostedCommand = Readonly<{ id: number; args: readonly string[]; stdin: string }>
export type HostedEnd = Readonly<{ id: number; code: number }>
export type HostedRun = Readonly<{ code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }>

/** What the process writes to each stream behind all that a command has written. */
export function endOf(id: number): string {
  return `\u0000end of command ${id}\u0000`
}

const PROGRAM = fileURLToPath(new URL('./command-host.process.ts', import.meta.url))

type Environment = Readonly<Record<string, string | undefined>>
type Host = Readonly<{
  key: string
  isGone: () => boolean
  run: (args: readonly string[], stdin: string) => Promise<HostedRun>
  end: () => void
}>

/** Those that run nothing, the last used last. They end with this process, which they keep from nothing. */
const idle: Host[] = []
const MOST_IDLE = 2

/**
 * Runs a command by the program itself, over its real streams, in a process that has run others of the same environment before, one at a time: loading the
 * program costs six times what a command does. Commands at the same time are in processes of their own.
 */
export async function runHosted(args: readonly string[], env: Environment, stdin: string): Promise<HostedRun> {
  const key = JSON.stringify(env)
  const at = idle.findLastIndex((one) => one.key === key && !one.isGone())
  const [host = openHost(env, key)] = at < 0 ? [] : idle.splice(at, 1)
  try {
    return await host.run(args, stdin)
  } finally {
    idle.push(host)
    if (idle.length > MOST_IDLE) idle.shift()?.end()
  }
}

function openHost(env: Environment, key: string): Host {
  const child = spawn(process.execPath, [PROGRAM], { env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] })
  const gone = once(child, 'close')
  child.unref()
  child.channel?.unref()
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)]
  const ends = new EventEmitter()
  child.on('message', ({ id, code }: HostedEnd) => ends.emit(String(id), code))
  let last = 0
  return {
    key,
    isGone: () => !child.connected,
    end: () => {
      if (child.connected) child.disconnect()
    },
    run: async (args, stdin) => {
      const id = ++last
      const answered = Promise.all([once(ends, String(id)), stdout.upTo(endOf(id)), stderr.upTo(endOf(id))])
      // Where it is gone meanwhile, its end is the answer.
      child.send({ id, args, stdin } satisfies HostedCommand, () => undefined)
      const ended = answered.then(([[code], out, errors]): HostedRun => ({ code, signal: null, stdout: out, stderr: errors }))
      const crashed = gone.then(([code, signal]): HostedRun => ({ code, signal, stdout: stdout.rest(), stderr: stderr.rest() }))
      return await Promise.race([ended, crashed])
    },
  }
}

/** The text of a stream, command by command. */
function collect(stream: Readable | null) {
  if (!(stream instanceof Socket)) throw new Error('a process without a pipe')
  stream.unref()
  let text = ''
  stream.setEncoding('utf8').on('data', (more: string) => {
    text += more
  })
  return {
    rest: () => text,
    upTo: async (end: string): Promise<string> => {
      while (!text.includes(end)) await once(stream, 'data')
      const [before = '', after = ''] = text.split(end)
      text = after
      return before
    },
  }
}
