import { createEventLog, memoryKeyRing, upcasters, uuidv7 } from '@tidings/codec'
import { type CommandRunner, createCommandRunner } from '@tidings/commands'
import { asApiKeyId, asFormId, asListId, asWorkspaceId, eventDeclarations } from '@tidings/domain'
import { memoryEventStore } from '@tidings/event-store/memory'
import { createUniqueContacts } from '@tidings/unique-contacts'
import { describe, expect, it } from 'vitest'
import { subscribeContact } from '../../src/forms/subscribe-contact.ts'

const workspaceId = asWorkspaceId(uuidv7())
const listId = asListId(uuidv7())
const STEPS = ['SubmitForm', 'AddMembers']

/** `dying`: the process dies before a command of such a type is executed by itself. */
const shop = ({ together }: Readonly<{ together: boolean }>) => {
  const store = memoryEventStore()
  const log = createEventLog({ store, declarations: eventDeclarations, upcasters, keyRing: memoryKeyRing() })
  const runner = createCommandRunner({ log })
  let dying: readonly string[] = []
  const execute: CommandRunner['execute'] = (execution) =>
    dying.includes((execution.command as { type: string }).type) ? Promise.reject(new Error('the process died')) : runner.execute(execution)
  const commands: CommandRunner = { ...runner, execute, writesTogether: together }
  const claimDigest = (_: string, kind: string, value: string) => `${kind}${Buffer.from(value).toString('hex')}`
  const uniqueContacts = createUniqueContacts({ runner: commands, claimDigest })
  const directory = { contactBy: async () => null }
  const deps = { commands, uniqueContacts, directory }
  const submit = (commandId: string, email = 'ada@example.com') =>
    subscribeContact(deps, {
      context: { commandId, workspaceId, actor: 'form:footer', requestId: 'r', at: '2026-11-23T12:00:00.000Z' },
      submission: { email, details: {}, formId: asFormId('footer'), sourceUrl: null, isTrapped: false },
      listId,
      keyId: asApiKeyId(uuidv7()),
      isAnonymous: false,
      evidence: { ip: '203.0.113.9', userAgent: null },
    })
  return {
    submit,
    dieBefore: (types: readonly string[]) => {
      dying = types
    },
    types: async () => (await store.readAll('start', 100)).events.map(({ type }) => type).filter((type) => !type.includes('Claim')),
  }
}

describe('a sign-up', () => {
  it('of somebody new, and again of the same, has no step between consent and list to die at', async () => {
    const { submit, dieBefore, types } = shop({ together: true })
    dieBefore(STEPS)
    const first = await submit(uuidv7())
    expect(first).toMatchObject({ isNew: true, positions: [expect.anything(), expect.anything(), expect.anything()] })
    expect(await types()).toEqual(['ContactCreated', 'ContactConsentRecorded', 'FormSubmitted', 'ContactAddedToList'])
    expect(await submit(uuidv7())).toMatchObject({ contactId: first.contactId, isNew: false })
    expect((await types()).slice(4)).toEqual(['ContactConsentRecorded', 'FormSubmitted'])
  })

  it.each([true, false])('that is repeated is one sign-up and one membership, in one append: %s', async (together) => {
    const { submit, types } = shop({ together })
    const commandId = uuidv7()
    const answers = [await submit(commandId), await submit(commandId)]
    expect(answers[1]?.contactId).toBe(answers[0]?.contactId)
    expect((await types()).filter((type) => type === 'FormSubmitted' || type === 'ContactAddedToList')).toHaveLength(2)
  })

  it.each(STEPS)('in steps that died before %s is done by its repetition', async (step) => {
    const { submit, dieBefore, types } = shop({ together: false })
    const commandId = uuidv7()
    dieBefore([step])
    await expect(submit(commandId)).rejects.toThrow('died')
    dieBefore([])
    await submit(commandId)
    expect((await types()).filter((type) => type === 'FormSubmitted' || type === 'ContactAddedToList')).toHaveLength(2)
  })
})
