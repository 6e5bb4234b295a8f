import { asMessageId, asWorkspaceId } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { messageIdHeader, parseProviderId, providerIdOf } from '../../src/email/message-id.ts'

const id = {
  workspaceId: asWorkspaceId('0192b1f0-0000-7000-8000-000000000001'),
  messageId: asMessageId('01a1feb4-f243-774a-84d8-4e6ead929d10'),
}

describe('the id that a provider gives back', () => {
  test('names the message and its workspace, in any case and with or without brackets', () => {
    fc.assert(
      fc.property(fc.uuid().map(asWorkspaceId), fc.uuid(), fc.boolean(), (workspaceId, messageId, isUpper) => {
        const header = messageIdHeader({ workspaceId, messageId: asMessageId(messageId) }, '[127.0.0.1]')
        expect(parseProviderId(isUpper ? header.toUpperCase() : header)).toEqual({ workspaceId, messageId })
        expect(parseProviderId(header.slice(1, -1))).toEqual({ workspaceId, messageId })
        expect(header.indexOf('@') - 1).toBeLessThanOrEqual(64)
      }),
    )
  })

  test('of mail that left before it carried the workspace still names the message', () => {
    for (const old of [`${id.messageId}@mail.acme.example`, `<${id.messageId}@[127.0.0.1]>`, id.messageId])
      expect(parseProviderId(old)).toEqual({ messageId: id.messageId, workspaceId: null })
  })

  test('may be cut, longer than a workspace, or not made here', () => {
    const whole = providerIdOf(id, 'acme.example')
    expect(parseProviderId(whole.slice(0, 50))).toEqual({ messageId: id.messageId, workspaceId: null })
    expect(parseProviderId(`${id.messageId}.${'z'.repeat(25)}@acme.example`)).toEqual({ messageId: id.messageId, workspaceId: null })
    expect(parseProviderId('somebody else’s')).toBeNull()
  })

  test.each([
    '010f0193c7bd4a21-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
    '010f0193c7bd4a21-e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000@eu-west-1.amazonses.com',
    'e9aedb9a-02f9-4d12-a87d-dd0099a07f8a-000000',
    'f0e9aedb9a-02f9-4d12-a87d-dd0099a07f8a',
    'e9aedb9a-02f9-4d12-a87d-dd0099a07f8af0',
  ])('is another’s where a UUID stands in the middle of it: %s', (id) => {
    expect(parseProviderId(id)).toBeNull()
  })
})
