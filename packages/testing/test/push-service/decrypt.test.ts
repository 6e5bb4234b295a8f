import { createECDH } from 'node:crypto'
import { decrypt, encodings } from '@apeleghq/rfc8188'
import { expect, it } from 'vitest'
import { decryptPush, keyingMaterial } from '../../src/push-service/decrypt.ts'

/** The published vector: RFC 8291 §5. */
const auth = Buffer.from('BTBZMqHH6r4Tts7J_aSIgg', 'base64url')
const body = Buffer.from(
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
  'base64url',
)
const keys = createECDH('prime256v1')
keys.setPrivateKey(Buffer.from('q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94', 'base64url'))
const TEXT = 'When I grow up, I want to be a watermelon'

it('reads the vector that RFC 8291 publishes', () => {
  expect(keys.getPublicKey().toString('base64url')).toMatch(/^BCVxsr7N_eNgVRqvHtD0zTZsEc6/)
  expect(keyingMaterial({ keys, auth }, body).toString('base64url')).toBe('S4lYMb_L0FxCeq0WhDx813KgSYqU26kOyzWUdsXYyrg')
  expect(decryptPush({ keys, auth }, body).toString()).toBe(TEXT)
})

it('reads what a second library reads', async () => {
  const material = new Uint8Array(keyingMaterial({ keys, auth }, body)).buffer
  const chunks: Buffer[] = []
  const read = decrypt(encodings.aes128gcm, ReadableStream.from([new Uint8Array(body)]), () => material)
  for await (const chunk of read) chunks.push(Buffer.from(chunk))
  expect(Buffer.concat(chunks).toString()).toBe(TEXT)
})

it('refuses a body that was changed, or is for another browser', () => {
  for (const at of [0, 30, 100, body.length - 1]) {
    const changed = Buffer.from(body)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => decryptPush({ keys, auth }, changed)).toThrow()
  }
  expect(() => decryptPush({ keys, auth: Buffer.alloc(16) }, body)).toThrow()
  expect(() => decryptPush({ keys, auth }, body.subarray(0, 90))).toThrow('header')
})
