import pino, { type DestinationStream, type Logger as PinoLogger } from 'pino'
import { traces } from './traces/traces.ts'

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
      // The library writes into what it gets.
      mixin: (line) => ({ ...traces()?.fieldsOf('err' in line ? line.err : undefined) }),
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

/** What is never written to a log line, anywhere in the first three levels of its object. */
const SECRETS = ['authorization', 'cookie', 'password', 'secret', 'token', 'key', 'apiKey', 'masterKey', 'otp', 'passcode']
const PERSONAL = ['email', 'phone', 'to', 'firstName', 'lastName', 'subject', 'html', 'text', 'ip', 'remoteAddress', 'userAgent']
const HEADERS = ['["x-api-key"]', '["idempotency-key"]', '["x-tidings-signature"]', '["set-cookie"]']

/** Paths for pino's `redact`: every secret and personal field at the top of a line and up to two objects below. */
const redactedPaths: readonly string[] = [
  ...['', '*.', '*.*.'].flatMap((above) => [...SECRETS, ...PERSONAL].map((name) => above + name)),
  ...['headers', '*.headers'].flatMap((above) => HEADERS.map((name) => above + name)),
]

/** The text without the user and password of the addresses in it: drivers quote connection strings in their messages. */
function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
}

type LoggedError = { type: string; message: string; stack?: string; code?: string; cause?: LoggedError }

const DEEPEST_CAUSE = 4

/** An error as a log line shows it. Other properties stay out: Postgres puts the values of a row into `detail` and `where`. */
function loggedError(error: unknown, depth: number = DEEPEST_CAUSE): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: withoutCredentials(String(error)) }
  return {
    type: error.name,
    message: withoutCredentials(error.message),
    ...(error.stack === undefined ? {} : { stack: withoutCredentials(error.stack) }),
    ...('code' in error && typeof error.code === 'string' ? { code: error.code } : {}),
    ...(error.cause === undefined || depth === 0 ? {} : { cause: loggedError(error.cause, depth - 1) }),
  }
}

/** A request as a log line shows it: the query stays out, because people are searched by their address. */
function loggedRequest(request: Readonly<{ id?: unknown; method?: string; url?: string }>): Record<string, unknown> {
  return { id: request.id, method: request.method, path: request.url?.split('?', 1)[0] }
}
