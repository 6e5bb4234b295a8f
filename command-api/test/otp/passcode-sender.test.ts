import type { SenderIdStatus } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { passcodeSender } from '../../src/otp/send-otp.route.ts'

const workspaceWith = (...senders: readonly (readonly [string, SenderIdStatus])[]) => ({
  smsSenders: new Map(senders.map(([senderId, status]) => [senderId.toLowerCase(), { senderId, status }])),
})
const acme = workspaceWith(['Old', 'deactivated'], ['Acme', 'approved'], ['Shop2', 'approved'])

describe('the sender of a passcode', () => {
  it('that is not named is the oldest one that may be used', () => {
    expect(passcodeSender(acme, undefined)).toBe('Acme')
  })

  it('that is named is the stored one, in whatever case', () => {
    expect(passcodeSender(acme, 'sHOP2')).toBe('Shop2')
  })

  it.each(['', '   ', 'SENDER', 'info', 'Shop'])('%j is required', (senderId) => {
    expect(() => passcodeSender(acme, senderId)).toThrow('sender_id_required')
  })

  it.each(['Old', 'Other', ' Acme'])('%j is not approved', (senderId) => {
    expect(() => passcodeSender(acme, senderId)).toThrow('sender_id_not_approved')
  })

  it('is required where the workspace has none', () => {
    expect(() => passcodeSender(workspaceWith(['Old', 'rejected']), undefined)).toThrow('sender_id_required')
  })
})
