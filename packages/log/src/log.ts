import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'
import { redactedPaths } from './redaction.ts'
import { loggedError, loggedRequest } from './serializers.ts'

/** The logger of a process. */
export type Log = PinoLogger

/** What a part takes that only writes lines. */
export type Logger = Pick<Log, 'info' | 'warn' | 'error'>

/** `to`: where lines go; the command line uses `stderr`, because its stdout belongs to the answer. */
export type LogSettings = Readonly<{ level: string; to?: 'stdout' | 'stderr' }>

/**
 * The process's logger: one JSON object a line, or readable lines when the destination is a terminal.
 * Keys, passwords and what names a person are replaced by `[redacted]`.
 */
export async function createLog(settings: LogSettings): Promise<Log> {
  const fd = settings.to === 'stderr' ? 2 : 1
  const terminal = settings.to === 'stderr' ? process.stderr.isTTY : process.stdout.isTTY
  return logTo(terminal ? await readable(fd) : pino.destination({ fd, sync: true }), settings.level)
}

/** The same logger on a stream of the caller's. */
export function logTo(stream: DestinationStream, level: string): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...redactedPaths], censor: '[redacted]' },
      serializers: { err: loggedError, error: loggedError, req: loggedRequest },
    },
    stream,
  )
}

/** Writes in this process and on this thread: pino's own transport would start a worker of some 20 MB. */
async function readable(fd: number): Promise<DestinationStream> {
  const { default: pretty } = await import('pino-pretty')
  return pretty({ destination: fd, sync: true, colorize: true, translateTime: 'SYS:HH:MM:ss.l', ignore: 'pid,hostname' })
}
