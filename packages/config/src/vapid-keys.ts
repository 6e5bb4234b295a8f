import { createECDH } from 'node:crypto'
import { publicUrl } from './public-url.ts'
import type { Config } from './schema.ts'
import { putSecretFile, readSecretFile, removeSecretFile, replaceSecretFile } from './secret-file.ts'

/**
 * The keys that this installation shows push services (RFC 8292), base64url. A browser that subscribed with a public key takes pushes under it alone.
 * `privateKey`: null in a process that only shows the public one. `subject`: whom a push service may write to, a `mailto:` or `https:` address.
 */
export type VapidKeys = Readonly<{ publicKey: string; privateKey: string | null; subject: string }>

const VAPID_KEY = 'vapid.key'

type Settings = Pick<Config, 'http' | 'push' | 'storage'>

/**
 * The keys that are given, else those of the data directory, made there with the first start as the master key is. Null where there are none:
 * with a database of one's own no folder is shared by all processes, and keys that differ between them would be worse than none.
 */
export async function vapidKeys({ http, push, storage }: Settings): Promise<VapidKeys | null> {
  const subject = push.vapidSubject ?? subjectOf(publicUrl(http))
  const { vapidPublicKey: publicKey, vapidPrivateKey: privateKey } = push
  if (privateKey !== null) return { publicKey: publicKeyOf(privateKey), privateKey, subject }
  if (publicKey !== null) return { publicKey, privateKey, subject }
  if (storage.databaseUrl !== null) return null
  const own = (await readVapidKey(storage.dataDir)) ?? (await putSecretFile(storage.dataDir, VAPID_KEY, newPrivateKey()))
  return { publicKey: publicKeyOf(own), privateKey: own, subject }
}

/** The private key that lies in a folder; null where there is none. */
export function readVapidKey(folder: string): Promise<string | null> {
  return readSecretFile(folder, VAPID_KEY)
}

/** Puts a private key into a folder, in the place of one that lies there; null takes it away. */
export function replaceVapidKey(folder: string, privateKey: string | null): Promise<void> {
  return privateKey === null ? removeSecretFile(folder, VAPID_KEY) : replaceSecretFile(folder, VAPID_KEY, privateKey)
}

/** The public key of a private one, uncompressed. Throws for bytes that are no key of P-256. */
export function publicKeyOf(privateKey: string): string {
  const curve = createECDH('prime256v1')
  const bytes = Buffer.from(privateKey, 'base64url')
  // Node takes fewer: a file that was cut off would be another key.
  if (bytes.length !== 32) throw new Error('a private key of P-256 has 32 bytes')
  curve.setPrivateKey(bytes)
  return curve.getPublicKey().toString('base64url')
}

function newPrivateKey(): string {
  const curve = createECDH('prime256v1')
  curve.generateKeys()
  // Node leaves out leading zeros.
  return Buffer.concat([Buffer.alloc(32), curve.getPrivateKey()])
    .subarray(-32)
    .toString('base64url')
}

const subjectOf = (url: string): string => {
  const { origin, protocol, hostname } = new URL(url)
  return protocol === 'https:' ? origin : `mailto:tidings@${hostname}`
}
