import { once } from 'node:events'
import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { onAbort } from '@tidings/async'
import { DeliveryError } from '../port.ts'
import type { ProviderTried } from '../provider-kind.ts'
import { type ConnectionSettings, SmppConnection } from './connection.ts'
import { statusCode, statusName } from './pdu.ts'
import { type SmscAddress, smscAddress } from './settings.ts'

/** `ca`: the certificate (PEM) of who signed the SMSC's, where it is none of the system's. */
type OpenSettings = Readonly<{
  address: SmscAddress
  callMs: number
  maxDeliveries: number
  deliver: ConnectionSettings['deliver']
  ca?: string
}>

const BIND_REFUSALS: ReadonlyMap<number, string> = new Map([
  [statusCode('ESME_RINVPASWD'), 'the password is wrong'],
  [statusCode('ESME_RINVSYSID'), 'it does not know the user'],
  [statusCode('ESME_RALYBND'), 'the user is bound already'],
  [statusCode('ESME_RBINDFAIL'), 'the bind failed'],
])

/** Connects and binds as transceiver. Throws `DeliveryError` (outage) with one sentence, which has no credentials. */
export async function openConnection(settings: OpenSettings, signal: AbortSignal): Promise<SmppConnection> {
  const { address } = settings
  const where = `The SMSC at ${address.host}:${address.port}`
  const socket = await openSocket(settings, signal).catch((error: unknown) => {
    throw new DeliveryError('outage', `${where} cannot be reached: ${reason(error, settings.callMs)}.`)
  })
  const connection = new SmppConnection(socket, { ...settings, enquireMs: address.enquireMs })
  const removeCallback = onAbort(signal, () => connection.end('the bind was cancelled'))
  const answer = await connection
    .request('bind_transceiver', bindFields(address))
    .catch((error: Error) => {
      connection.end('the bind was not answered')
      throw new DeliveryError('outage', `${where} does not answer the bind: ${error.message}.`)
    })
    .finally(removeCallback)
  if (answer.status === 0) return connection
  connection.end('the bind was refused')
  const why = BIND_REFUSALS.get(answer.status)
  throw new DeliveryError('outage', `${where} refuses the bind: ${why === undefined ? '' : `${why}, `}${statusName(answer.status)}.`)
}

const bindFields = ({ systemId, password, systemType }: SmscAddress) => ({
  system_id: systemId,
  password,
  system_type: systemType,
  interface_version: 0x34,
})

async function openSocket({ address, ca, callMs }: OpenSettings, signal: AbortSignal): Promise<Socket> {
  const { host, port, tls, verify } = address
  const socket = tls
    ? connectTls({ host, port, rejectUnauthorized: verify, ...(isIP(host) === 0 && { servername: host }), ...(ca && { ca }) })
    : connect({ host, port })
  try {
    await once(socket, tls ? 'secureConnect' : 'connect', { signal: AbortSignal.any([signal, AbortSignal.timeout(callMs)]) })
    return socket.setNoDelay(true)
  } catch (error) {
    // An error that comes after this one must not end the process.
    socket.on('error', () => undefined).destroy()
    throw error
  }
}

function reason(error: unknown, callMs: number): string {
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return `no connection within ${callMs} ms`
  // If several addresses fail, Node.js gives one error without a message of its own.
  return error.message || ((error as NodeJS.ErrnoException).code ?? error.name)
}

/** Binds as sending does, and unbinds. What the SMSC has to deliver it keeps. Throws one sentence, without credentials, where it does not take us. */
export async function trySmsc(address: string, callMs: number): Promise<ProviderTried> {
  const smsc = smscAddress(address)
  const deliver = (): never => {
    throw new Error('no delivery is taken')
  }
  // Each delivery is answered "later", because none is allowed at once.
  const settings = { address: smsc, callMs, maxDeliveries: 0, deliver }
  const connection = await openConnection(settings, new AbortController().signal)
  await connection.unbind()
  return {
    said: `${smsc.host}:${smsc.port} takes the bind (${smsc.tls ? 'TLS' : 'without TLS'})`,
    lifted: smsc.tls && !smsc.verify ? ['verify=off: the certificate is not checked'] : [],
  }
}
