import { join } from 'node:path'
import { type Config, readVapidKey, vapidKeys } from '@tidings/config'
import { isLoopback } from '@tidings/providers'
import { outboxOf } from './doctor-outbox.ts'

type Settings = Pick<Config, 'http' | 'push' | 'storage' | 'environment' | 'sending'>

const NO_KEYS = 'no keys are configured: pushes stay queued, and browsers cannot subscribe'
const NO_PRIVATE_KEY = 'TIDINGS_VAPID_PRIVATE_KEY is not set: pushes stay queued until it is'

/**
 * Reads the keys of web push as a start does, and makes none; throws one sentence when push services would refuse them. The result has the public key
 * alone. An installation may do without.
 */
export async function checkPush(config: Settings): Promise<string> {
  const outbox = outboxOf(config, 'push', () => NO_KEYS)
  if (outbox !== null) return outbox
  const { push, storage } = config
  const isGiven = push.vapidPrivateKey !== null || push.vapidPublicKey !== null
  const isMade = !isGiven && storage.databaseUrl === null
  const file = join(storage.dataDir, 'vapid.key')
  if (isMade && (await readVapidKey(storage.dataDir).catch(unreadable(file))) === null) return 'the first start makes the keys'
  const keys = await vapidKeys(config).catch(() => {
    throw new Error(`${file} holds no key: restore it from a backup`)
  })
  if (keys === null) return NO_KEYS
  if (keys.privateKey === null) return NO_PRIVATE_KEY
  assertReachable(keys.subject)
  return `the public key is ${keys.publicKey}, ${isGiven ? 'as given' : 'made by Tidings'}; push services may write to ${keys.subject}`
}

const unreadable =
  (file: string) =>
  ({ code }: NodeJS.ErrnoException): never => {
    throw new Error(`${file} cannot be read: ${code}`)
  }

/** Apple refuses such a contact with 403 `BadJwtToken`. */
function assertReachable(subject: string): void {
  const host = subject.startsWith('mailto:') ? subject.slice(subject.lastIndexOf('@') + 1) : new URL(subject).hostname
  if (isLoopback(host)) throw new Error(`push services cannot write to ${subject}, and some refuse pushes for that`)
}
