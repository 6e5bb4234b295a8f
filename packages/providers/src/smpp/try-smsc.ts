import { openConnection } from './open-connection.ts'
import { smscAddress } from './settings.ts'

/** Binds as sending does, and unbinds. What the SMSC has to deliver it keeps. Throws one sentence, without credentials, where it does not take us. */
export async function trySmsc(address: string, callMs: number): Promise<string> {
  const smsc = smscAddress(address)
  const deliver = (): never => {
    throw new Error('no delivery is taken')
  }
  // Each delivery is answered "later", because none is allowed at once.
  const settings = { address: smsc, callMs, maxDeliveries: 0, deliver }
  const connection = await openConnection(settings, new AbortController().signal)
  await connection.unbind()
  const lifted = smsc.tls && !smsc.verify ? '; verify=off: the certificate is not checked' : ''
  return `${smsc.host}:${smsc.port} takes the bind (${smsc.tls ? 'TLS' : 'without TLS'})${lifted}`
}
