import { once } from 'node:events'
import { createConnection } from 'node:net'
import type { Config } from '@tidings/config'

const PATIENCE_MS = 5_000

/** Reaches the relay's port; throws one sentence when it cannot. */
export const checkEmailProvider = async ({ email, environment }: Config): Promise<string> => {
  if (email.provider === 'outbox') {
    if (environment === 'production') throw new Error('no provider is configured: messages stay in the development outbox.')
    return 'the development outbox, nothing leaves this machine'
  }
  const { hostname, port, protocol } = new URL(email.provider)
  const number = port === '' ? (protocol === 'smtps:' ? 465 : 25) : Number(port)
  const socket = createConnection({ host: hostname, port: number, timeout: PATIENCE_MS })
  try {
    await Promise.race([
      once(socket, 'connect'),
      once(socket, 'timeout').then(() => Promise.reject(new Error(`${hostname}:${number} did not answer within 5 s.`))),
    ])
    return `${hostname}:${number} answers`
  } finally {
    socket.destroy()
  }
}
