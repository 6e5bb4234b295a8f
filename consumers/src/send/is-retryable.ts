/** The log, or the database under it, is away. */
export const isRetryable = (error: unknown): boolean => error instanceof Error && 'retryable' in error && error.retryable === true
