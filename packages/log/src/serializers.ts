import { withoutCredentials } from './redaction.ts'

export type LoggedError = { type: string; message: string; stack?: string; code?: string; cause?: LoggedError }

const DEEPEST_CAUSE = 4

/** An error as a log line shows it. Other properties stay out: Postgres puts the values of a row into `detail` and `where`. */
export function loggedError(error: unknown, depth: number = DEEPEST_CAUSE): LoggedError {
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
export function loggedRequest(request: Readonly<{ id?: unknown; method?: string; url?: string }>): Record<string, unknown> {
  return { id: request.id, method: request.method, path: request.url?.split('?', 1)[0] }
}
