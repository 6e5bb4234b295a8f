import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { KeyRing } from '@tidings/codec'
import type { Sealer } from '@tidings/http'

const NONCE = 12
const TAG = 16

const derived = async (keyRing: KeyRing, workspaceId: string): Promise<Buffer> => {
  const secret = (await keyRing.workspaceSecret(workspaceId)).export()
  return Buffer.from(hkdfSync('sha256', secret, '', 'tidings idempotent answer', 32))
}

/** Seals the answers kept for idempotency keys under a key derived from the workspace's secret: nonce, ciphertext, tag. */
export const createAnswerSealer = (keyRing: KeyRing): Sealer => ({
  seal: async (workspaceId, plain) => {
    const nonce = randomBytes(NONCE)
    const cipher = createCipheriv('aes-256-gcm', await derived(keyRing, workspaceId), nonce)
    return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  },
  open: async (workspaceId, sealed) => {
    const decipher = createDecipheriv('aes-256-gcm', await derived(keyRing, workspaceId), sealed.subarray(0, NONCE))
    decipher.setAuthTag(sealed.subarray(-TAG))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE, -TAG)), decipher.final()])
  },
})
