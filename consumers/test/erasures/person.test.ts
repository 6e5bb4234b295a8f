import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog, workspaceId } from '@tidings/commands/testing'
import { asContactId, type ContactCommand, contact, contactStream, noFacts } from '@tidings/domain'
import { expect, test } from 'vitest'
import { readPerson } from '../../src/erasures/person.ts'

test('what a row of the database hides from readers is read: it is erased too', async () => {
  const { log } = modelLog()
  const asked: unknown[] = []
  const readStream: typeof log.readStream = async (workspace, stream, options) => {
    asked.push(options)
    return await log.readStream(workspace, stream, options)
  }
  expect(await readPerson({ readStream }, { workspaceId, contactId: asContactId(crypto.randomUUID()) })).toBeNull()
  expect(asked).toEqual([{ pastLimits: true }])
})

test('a person whose address an older log spells otherwise has both spellings: what was written since has the other', async () => {
  const { log } = modelLog()
  const runner = createCommandRunner({ log })
  const contactId = asContactId(crypto.randomUUID())
  const run = (word: string, command: ContactCommand) =>
    runner.execute({ decider: contact, stream: contactStream(workspaceId, contactId), command, context: contextOf(word) })
  const written = 'ann@xn--bcher-kva.example'
  const [email, phone] = [
    { value: written, claimId: 'a' },
    { value: '+972501234567', claimId: 'b' },
  ]
  await run('a', { type: 'CreateContact', data: { contactId, email, phone, details: {}, source: 'api' } })
  await run('b', { type: 'UpdateContact', data: { contactId, email: { value: 'ann@mail.example', claimId: 'c' } } })
  await run('c', { type: 'RequestErasure', data: { contactId } })
  const person = await readPerson(log, { workspaceId, contactId })
  expect(person?.addresses).toEqual([written, 'ann@bücher.example', '+972501234567', 'ann@mail.example'])
  expect(person?.claimed).toEqual([
    { kind: 'email', value: 'ann@mail.example', claimId: 'c', facts: noFacts },
    { kind: 'phone', value: '+972501234567', claimId: 'b', facts: noFacts },
  ])
})
