import { createSecretKey } from 'node:crypto'
import { asWorkspaceId } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { unseal } from '../../src/crypto/seal.ts'
import { createWorkspaceSealer } from '../../src/keys/workspace-secrets.ts'

const acme = asWorkspaceId('acme')
const other = asWorkspaceId('other')
const plain = Buffer.from('{"success":true,"data":{"profileId":"0192f0c1-0000-7000-8000-00000000000c"}}')
const secret = createSecretKey(Buffer.alloc(32, 7))
/** Two workspaces with one secret: only the context tells them apart. */
const secrets = { workspaceSecret: async () => secret }
const sealer = createWorkspaceSealer(secrets, 'idempotent answer')

describe('what is sealed for a workspace', () => {
  it('opens for that workspace', async () => {
    expect(await sealer.open(acme, await sealer.seal(acme, plain))).toEqual(plain)
    expect(await sealer.open(acme, await sealer.seal(acme, Buffer.alloc(0)))).toEqual(Buffer.alloc(0))
  })

  it('opens for no other workspace and no other purpose', async () => {
    const sealed = await sealer.seal(acme, plain)
    await expect(sealer.open(other, sealed)).rejects.toThrow()
    await expect(createWorkspaceSealer(secrets, 'another purpose').open(acme, sealed)).rejects.toThrow()
  })

  it('opens with no bit changed', async () => {
    const sealed = await sealer.seal(acme, plain)
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed)
      changed[at] = (changed[at] ?? 0) ^ 1
      await expect(sealer.open(acme, changed)).rejects.toThrow()
    }
  })

  it('opens where an earlier release sealed it without a context', async () => {
    const sealed =
      '9Rf1k/4rue506NkRjLVT4YGp2Fd0V0PUoTmWyaxDWPWQQNFNAU88AJ1YeojI10P3rIPIg0oZpS+BPGAZUC6MCauYnDtxdOaRc/WsOlwMR41OYdHZESwKWlQUtNa6ld7ctJ26CDf+lxo='
    expect(await sealer.open(acme, Buffer.from(sealed, 'base64'))).toEqual(plain)
  })
})

it('a sealed text that is cut short is refused', () => {
  expect(() => unseal(secret, Buffer.alloc(27), '')).toThrow('cut short')
})
