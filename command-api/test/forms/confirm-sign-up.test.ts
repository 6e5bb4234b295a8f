import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import {
  type ApiKeyId,
  asApiKeyId,
  asFormId,
  asListId,
  asWorkspaceId,
  bucketOf,
  byOperator,
  contact,
  contactStream,
  type DomainEvent,
  eventDeclarations,
  membersStream,
  signUpStream,
  type WorkspaceId,
  workspaceStream,
} from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { describe, expect, it } from 'vitest'
import { confirmSignUp } from '../../src/forms/confirm-sign-up.ts'

const ASKED = '2026-11-23T12:00:00.000Z'
const BY = '2026-11-30T12:00:00.000Z'
const clicked = { evidence: { ip: '203.0.113.9', userAgent: 'Browser' }, requestId: 'r' }

/** A contact that was asked to confirm; `now` is the moment of the click. `failing` makes one command of a type fail once. `together`: the log can append to several streams. */
type SignUpRequest = Readonly<{ now?: string; failing?: string; together?: boolean; pendingEmail?: string; key?: keyof typeof KEYS }>

/** The key that the sign-up came with: its prefix, and what became of it; `unknown` was never the workspace's. */
const KEYS = {
  secret: ['sk_evt_'],
  publishable: ['pk_evt_'],
  deletedSecret: ['sk_evt_', 'ApiKeyRevoked', 'ApiKeyDeleted'],
  deletedPublishable: ['pk_evt_', 'ApiKeyRevoked', 'ApiKeyDeleted'],
  unknown: [],
} as const

/** A workspace whose key this is. */
const keyEvents = (workspaceId: WorkspaceId, keyId: ApiKeyId, [prefix, ...ends]: readonly string[]): readonly DomainEvent[] => {
  const settings = { name: 'Acme', plan: 'free', country: 'IL', tracking: false } as const
  const created: DomainEvent = { type: 'WorkspaceCreated', data: { workspaceId, slug: 'acme', ...settings } }
  if (prefix === undefined) return [created]
  const data = { keyId, ...byOperator }
  const [revoked, deleted] = [{ type: 'ApiKeyRevoked', data } as const, { type: 'ApiKeyDeleted', data } as const]
  const made: DomainEvent = { type: 'ApiKeyCreated', data: { ...data, name: 'page', prefix, hash: 'h' } }
  return [created, made, ...(ends.length > 0 ? [revoked, deleted] : [])]
}

const asked = async ({ now = ASKED, failing, together, pendingEmail = 'ada@example.com', key = 'secret' }: SignUpRequest = {}) => {
  const workspaceId = asWorkspaceId(uuidv7())
  const keyRing = memoryKeyRing()
  const log = createEventLog({ store: memoryEventStore(), declarations: eventDeclarations, upcasters, keyRing })
  const runner = createCommandRunner({ log })
  let fails = failing
  const execute: CommandRunner['execute'] = (execution) => {
    const { type } = execution.command as { type: string }
    if (type !== fails) return runner.execute(execution)
    fails = undefined
    return Promise.reject(new Error('the process died'))
  }
  const commands: CommandRunner = { ...runner, execute, writesTogether: together ?? false }
  const uniqueContacts = createUniqueContacts({
    runner: commands,
    claimDigest: (_, kind, value) => `${kind}${Buffer.from(value).toString('hex')}`,
  })
  const deps = { commands, uniqueContacts, now: () => now }
  const context = { commandId: uuidv7(), workspaceId, actor: 'form:footer', requestId: 'r', at: ASKED }
  const { contactId } = await uniqueContacts.create({ context, email: 'ada@example.com', details: {}, source: 'embedded_form' })
  const [signUpId, listId, keyId] = [uuidv7(), uuidv7(), asApiKeyId(uuidv7())]
  await log.append(workspaceStream(workspaceId), 'no_stream', keyEvents(workspaceId, keyId, KEYS[key]), context)
  const pending = { email: pendingEmail, phone: '+972501000001', details: { firstName: 'Ada' } }
  const submitted: DomainEvent = {
    type: 'FormSubmitted',
    data: { signUpId, contactId, listId: asListId(listId), keyId, formId: asFormId('footer'), sourceUrl: null, confirmBy: BY, pending },
  }
  await log.append(signUpStream(workspaceId, signUpId), 'no_stream', [submitted], context)
  const streams = [
    contactStream(workspaceId, contactId),
    membersStream(workspaceId, asListId(listId), bucketOf(contactId)),
    signUpStream(workspaceId, signUpId),
  ]
  const of = { context, contactId }
  return {
    change: async (changes: Readonly<{ phone?: string; details?: object }>) => uniqueContacts.update({ ...of, ...changes }),
    person: async () => (await runner.load({ decider: contact, stream: contactStream(workspaceId, contactId), workspaceId })).state,
    click: () => confirmSignUp(deps, { workspaceId, signUpId }, clicked),
    types: async () => (await Promise.all(streams.map((stream) => log.readStream(workspaceId, stream)))).flat().map(({ type }) => type),
  }
}

const ALL = [
  'ContactCreated',
  'ContactDetailsChanged',
  'ContactPhoneChanged',
  'ContactConsentRecorded',
  'ContactAddedToList',
  'FormSubmitted',
  'SignUpConfirmed',
]

describe('a confirmation', () => {
  it.each([true, false])(
    'writes the contact, the consent, the membership and that it was confirmed, in one append: %s',
    async (together) => {
      const { click, types } = await asked({ together })
      for (let n = 0; n < 2; n++) expect((await click()).outcome).toBe('confirmed')
      expect(await types()).toEqual(ALL)
    },
  )

  it.each([
    ['ADA@example.com', 'confirmed'],
    ['ada@ｅxample.com', 'confirmed'],
    ['eve@example.com', 'unknown'],
  ])('of a mail to %s is %s where the contact has ada@example.com', async (pendingEmail, outcome) => {
    const { click } = await asked({ together: true, pendingEmail })
    expect((await click()).outcome).toBe(outcome)
  })

  it.each(['UpdateContact', 'AddMembers', 'ConfirmSignUp'])('in one append has no step to die before %s', async (failing) => {
    const { click, types } = await asked({ failing, together: true })
    expect((await click()).outcome).toBe('confirmed')
    expect(await types()).toEqual(ALL)
  })

  it.each(['AddMembers', 'ConfirmSignUp'])('that died before %s is done by the next click, without a second consent', async (failing) => {
    const { click, types } = await asked({ failing })
    await expect(click()).rejects.toThrow('died')
    expect((await click()).outcome).toBe('confirmed')
    expect(await types()).toEqual(ALL)
  })

  const SAID = { phone: '+972501000001', firstName: 'Ada' }
  const HAD = { phone: '+972502000002', firstName: 'Grace' }

  it.each([
    ['secret', true],
    ['deletedSecret', true],
    ['publishable', false],
    ['deletedPublishable', false],
    ['unknown', false],
  ] as const)('of what came with a key that is %s replaces what the contact has: %s', async (key, replaces) => {
    for (const together of [true, false]) {
      const { change, click, person } = await asked({ key, together })
      await change({ phone: HAD.phone, details: { firstName: HAD.firstName } })
      expect((await click()).outcome).toBe('confirmed')
      const { phone, details, consents } = await person()
      expect([{ phone, firstName: details.firstName }, consents.email]).toEqual([replaces ? SAID : HAD, 'subscribed'])
    }
  })

  it('of what came with a publishable key fills what is empty, but for the phone: it has not been seen by the person who clicks', async () => {
    const { click, person } = await asked({ key: 'publishable' })
    await click()
    expect(await person()).toMatchObject({ phone: null, details: { firstName: 'Ada' } })
  })

  it('is taken up to its last moment, and not after it', async () => {
    const inTime = await asked({ now: BY })
    expect((await inTime.click()).outcome).toBe('confirmed')
    const late = await asked({ now: '2026-11-30T12:00:00.001Z' })
    expect((await late.click()).outcome).toBe('expired')
    expect(await late.types()).toEqual(['ContactCreated', 'FormSubmitted'])
  })
})
