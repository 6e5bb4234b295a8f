import { emailKey } from '@tidings/addresses'
import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog, workspaceId } from '@tidings/commands/testing'
import { asContactId } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { createUniqueContacts } from '../src/unique-contacts.ts'
import { logOf } from './claims.testing.ts'

const digest = (_: string, kind: string, value: string) => `${kind}of${value}`

describe('an address that the log has in another spelling', () => {
  const [old, now] = ['ann@xn--bcher-kva.example', 'ann@bücher.example']
  const worldOfKeys = () => {
    const model = modelLog()
    const clock = { now: () => 0, random: () => 0, sleep: async () => undefined }
    const claimDigest = (_: string, kind: string, value: string) => `${kind}of${emailKey(value)}`
    const contacts = createUniqueContacts({ runner: createCommandRunner({ log: logOf(model.log, 'apart') }), clock, claimDigest })
    return { contacts, of: (word: string) => ({ context: contextOf(word), details: {}, source: 'api' }) as const }
  }

  it('is the contact’s own, and keeps its claim', async () => {
    const { contacts, of } = worldOfKeys()
    const { contactId, state } = await contacts.create({ ...of('a'), email: old })
    for (const email of [now, old, now]) {
      expect(await contacts.upsert({ ...of(`u${email}`), email })).toMatchObject({ contactId, created: false })
      expect(await contacts.update({ context: contextOf(`p${email}`), contactId, email })).toMatchObject({ contactId, events: [] })
    }
    const [known] = [await contacts.update({ context: contextOf('n'), contactId, details: { firstName: 'Ann' } })]
    expect(known.state).toMatchObject({ emailClaimId: state.emailClaimId, spentClaims: [] })
    expect(await contacts.ownerOf(workspaceId, 'email', now)).toBe(contactId)
  })

  it('is taken where an older version claimed it by the domain as it was written', async () => {
    for (const appending of ['apart', 'together'] as const) {
      const model = modelLog()
      const clock = { now: () => 0, random: () => 0, sleep: async () => undefined }
      const runner = createCommandRunner({ log: logOf(model.log, appending), clock })
      const before = createUniqueContacts({ runner, clock, claimDigest: digest })
      const contacts = createUniqueContacts({
        ...{ runner, clock },
        claimDigest: (_, kind, value) => `${kind}of${emailKey(value)}`,
        olderDigests: async (_, kind, value) => (emailKey(value) === value ? [] : [digest(_, kind, value)]),
      })
      const of = (word: string) => ({ context: contextOf(word), details: {}, source: 'api' }) as const
      const { contactId } = await before.create({ ...of('a'), email: now })
      await expect(contacts.create({ ...of('b'), email: now })).rejects.toMatchObject({ code: 'contact_email_taken', ownerId: contactId })
      expect(await contacts.upsert({ ...of('c'), email: now })).toMatchObject({ contactId, created: false })
      expect(await contacts.ownerOf(workspaceId, 'email', now)).toBe(contactId)
      const other = await contacts.create({ ...of('d'), email: 'other@x.example' })
      const taking = contacts.update({ context: contextOf('e'), contactId: other.contactId, email: now })
      await expect(taking).rejects.toMatchObject({ code: 'contact_email_taken' })
      await contacts.update({ context: contextOf('f'), contactId, email: 'moved@x.example' })
      expect(await contacts.create({ ...of('g'), email: now })).toMatchObject({ created: true })
    }
  })

  it('is one of two contacts where an older version made two of it, always the same one, and neither is lost', async () => {
    for (const appending of ['apart', 'together'] as const) {
      const model = modelLog()
      const clock = { now: () => 0, random: () => 0, sleep: async () => undefined }
      const runner = createCommandRunner({ log: logOf(model.log, appending), clock })
      const before = createUniqueContacts({ runner, clock, claimDigest: digest })
      const contacts = createUniqueContacts({
        ...{ runner, clock },
        claimDigest: (_, kind, value) => `${kind}of${emailKey(value)}`,
        olderDigests: async (_, kind, value) => (emailKey(value) === value ? [] : [digest(_, kind, value)]),
      })
      const of = (word: string) => ({ context: contextOf(word), details: {}, source: 'api' }) as const
      const { contactId: inUnicode } = await before.create({ ...of('a'), email: now })
      const { contactId: inAscii } = await before.create({ ...of('b'), email: old })
      const [eldest = asContactId(''), other = ''] = [inUnicode, inAscii].toSorted()
      expect(eldest).not.toBe(other)
      for (const [n, email] of [now, old, now].entries()) {
        expect(await contacts.ownerOf(workspaceId, 'email', email)).toBe(eldest)
        expect(await contacts.upsert({ ...of(`u${n}`), email })).toMatchObject({ contactId: eldest, created: false })
      }
      for (const [n, contactId] of [inUnicode, inAscii].entries()) {
        const { state } = await contacts.update({ context: contextOf(`d${n}`), contactId, details: { firstName: `Ann ${n}` } })
        expect(state.details.firstName).toBe(`Ann ${n}`)
      }
      // This is the repair that doctor names.
      await contacts.update({ context: contextOf('m'), contactId: eldest, email: 'moved@x.example' })
      expect(await contacts.ownerOf(workspaceId, 'email', now)).toBe(other)
      expect(await contacts.upsert({ ...of('v'), email: now })).toMatchObject({ contactId: other, created: false })
    }
  })

  it('is taken', async () => {
    const { contacts, of } = worldOfKeys()
    const { contactId } = await contacts.create({ ...of('a'), email: old })
    await expect(contacts.create({ ...of('b'), email: now })).rejects.toMatchObject({ code: 'contact_email_taken', ownerId: contactId })
    expect(await contacts.resolveOrCreate({ ...of('c'), email: now })).toMatchObject({ contactId, created: false })
  })
})
