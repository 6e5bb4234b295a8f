import { mailboxAddress } from './mailbox-address.ts'
import { openMailbox } from './open-mailbox.ts'

/** Opens the mailbox as reading does, and closes it. The result is one sentence; so is what it throws, without credentials. */
export async function tryMailbox(url: string, callMs: number): Promise<string> {
  const address = mailboxAddress(url)
  const { host, port, folder, secure, tls, verify } = address
  const mailbox = await openMailbox(address, { callMs, lookMs: callMs })
  await mailbox.close()
  const lifted = [
    ...(secure || tls === 'required' ? [] : ['the password may be sent in clear']),
    ...(verify ? [] : ['verify=off: the certificate is not checked']),
  ]
  return [`${host}:${port} answers, and ${folder} can be read`, ...lifted].join('; ')
}
