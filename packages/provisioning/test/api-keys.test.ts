import { createEventLog, memoryKeyRing, upcasters } from '@tidings/codec'
import { createCommandRunner } from '@tidings/commands'
import { asApiKeyId, eventDeclarations, workspace, workspaceStream } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { describe, expect, it } from 'vitest'
import { revokeApiKey } from '../src/api-keys.ts'
import { applyWorkspaceFile } from '../src/apply.ts'
import { createProvisioner } from '../src/provisioner.ts'
import { parseWorkspaceFile } from '../src/workspace-file/parse.ts'

const fileWith = (keys: string) => parseWorkspaceFile(`workspace: { slug: acme, name: Acme }\napiKeys: [${keys}]`)

/** An installation. Each `apply` is that of a process of its own, which knows nothing of the others but the log. */
const installation = () => {
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const process = () => createProvisioner(createCommandRunner({ log, deadlineMs: Number.POSITIVE_INFINITY }))
  const apply = (keys: string) => applyWorkspaceFile(process(), fileWith(keys))
  return {
    apply,
    /** Name and kind of the keys that are active. */
    active: async () => {
      const { applied } = await apply('')
      const { apiKeys } = await process().load(applied.workspace.id, workspace, workspaceStream(applied.workspace.id))
      return Object.values(apiKeys).flatMap(({ name, kind, status }) => (status === 'active' ? [`${kind} ${name}`] : []))
    },
    revoke: async (id: string) => revokeApiKey(process(), (await apply('')).applied.workspace.id, asApiKeyId(id)),
  }
}

describe('a key of the workspace file', () => {
  it.each([
    ['secret', '{ name: page }', 'sk_evt_'],
    ['publishable', '{ name: page, publishable: true }', 'pk_evt_'],
  ])('that is %s is one, however many apply the file at once, and one of them gets it', async (kind, key, prefix) => {
    const { apply, active } = installation()
    await apply('')
    const results = await Promise.all(Array.from({ length: 5 }, () => apply(key)))
    expect(await active()).toEqual([`${kind} page`])
    const keys = results.flatMap(({ applied }) => applied.apiKeys)
    expect(new Set(keys.map(({ id }) => id)).size).toBe(1)
    expect(keys.flatMap((one) => one.key ?? [])).toEqual([expect.stringMatching(`^${prefix}[0-9a-f]{64}$`)])
    expect(results.flatMap(({ changes }) => changes)).toEqual(['created an API key: page'])
  })

  it('is made anew where it was revoked', async () => {
    const { apply, active, revoke } = installation()
    const [first] = (await apply('{ name: page }')).applied.apiKeys
    await revoke(first?.id ?? '')
    const [second] = (await apply('{ name: page }')).applied.apiKeys
    expect(second?.id).not.toBe(first?.id)
    expect(await active()).toEqual(['secret page'])
  })

  it('that becomes publishable leaves the secret one active, which each apply says until it is revoked', async () => {
    const { apply, active, revoke } = installation()
    const [secret] = (await apply('{ name: page }, { name: server }')).applied.apiKeys
    const publishable = '{ name: page, publishable: true }, { name: server }'
    const left = [{ id: secret?.id, name: 'page', kind: 'secret' }]
    for (let n = 0; n < 2; n++) expect((await apply(publishable)).stillActive).toEqual(left)
    expect((await active()).toSorted()).toEqual(['publishable page', 'secret page', 'secret server'])
    await revoke(secret?.id ?? '')
    expect((await apply(publishable)).stillActive).toEqual([])
  })

  it('that becomes secret leaves the publishable one, and one of another name is not spoken of', async () => {
    const { apply } = installation()
    await apply('{ name: page, publishable: true }, { name: other, publishable: true }')
    expect((await apply('{ name: page }')).stillActive).toMatchObject([{ name: 'page', kind: 'publishable' }])
  })
})
