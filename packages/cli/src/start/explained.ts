import { OperationFailed } from '@tidings/config'

type Failure = Readonly<{ code?: string; port?: number; address?: string; hostname?: string }>

/** An address that no interface has, a name that is not found, a family of addresses that is switched off. */
const UNBINDABLE = new Set(['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT', 'EINVAL'])

/** One sentence for a port that cannot be opened, or an address that is not one of this machine; any other error as it is. */
export function explained(error: unknown, host: string): unknown {
  const { code = '', port, address, hostname } = error as Failure
  if (UNBINDABLE.has(code) && (address === host || hostname === host))
    return new OperationFailed(
      `HOST ${host} cannot be listened on (${code}): set it to an address of this machine, such as 127.0.0.1, or 0.0.0.0 for every one.`,
    )
  if (code === 'EADDRINUSE')
    return new OperationFailed(`Port ${port} of ${address} is taken: stop what listens there, or set another (PORT, TIDINGS_ADMIN_PORT).`)
  if (code === 'EACCES' && port !== undefined)
    return new OperationFailed(`Port ${port} may not be opened by this user: set PORT to 1024 or above.`)
  return error
}
