import { openSession } from './session.ts'
import { connectionOptions, relayAddress } from './settings.ts'

/** The result of a try: `tls` is its protocol, null where everything goes in clear. */
export type RelayTried = Readonly<{
  host: string
  port: number
  tls: string | null
  user: string | null
  /** The password may go in clear (`?tls=optional`), or the certificate is not checked (`?verify=off`): what the address lifts. */
  lifted: readonly string[]
}>

/**
 * Opens one session as sending does: the same port, TLS and login, and closes it. Throws one sentence, without credentials, where no mail could
 * leave.
 */
export async function tryRelay(address: string, callMs: number): Promise<RelayTried> {
  const relay = relayAddress(address)
  const { host, port, tlsLifted, verify, credentials } = relay
  const session = await openSession({ options: connectionOptions(relay, callMs), credentials, callMs, answerMs: callMs }).catch((error) => {
    throw new Error(`${host}:${port} cannot be used: ${error instanceof Error ? error.message : String(error)}.`)
  })
  session.close()
  const lifted = [
    ...(tlsLifted ? ['tls=optional: the password may be sent in clear'] : []),
    ...(verify ? [] : ['verify=off: the certificate is not checked']),
  ]
  return { host, port, tls: session.tls, user: credentials?.user ?? null, lifted }
}
