import { OperationFailed } from '@tidings/config'

/** One sentence for a port that cannot be opened; any other error as it is. */
export function explained(error: unknown): unknown {
  const { code, port, address } = error as { code?: string; port?: number; address?: string }
  if (code === 'EADDRINUSE')
    return new OperationFailed(`Port ${port} of ${address} is taken: stop what listens there, or set another (PORT, TIDINGS_ADMIN_PORT).`)
  if (code === 'EACCES' && port !== undefined)
    return new OperationFailed(`Port ${port} may not be opened by this user: set PORT to 1024 or above.`)
  return error
}
