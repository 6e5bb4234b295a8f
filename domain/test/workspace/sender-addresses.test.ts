import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { asWorkspaceId } from '../../src/ids.ts'
import type { SenderAddressFailure, SenderAddressStatus } from '../../src/workspace/sender-addresses.ts'
import type { WorkspaceEvent } from '../../src/workspace/workspace.events.ts'
import { type WorkspaceCommand, workspace } from '../../src/workspace/workspace.ts'

const { given } = specFor(workspace)
const created: WorkspaceEvent = {
  type: 'WorkspaceCreated',
  data: { workspaceId: asWorkspaceId('w'), slug: 'acme', name: 'Acme', plan: 'pro', country: 'IL', tracking: false },
}
const hourOf = (hour: number): string => new Date(Date.UTC(2026, 10, 23, hour)).toISOString()

const address = { addressId: 'a', email: 'hello@acme.example', name: 'Acme' }
const is = (status: SenderAddressStatus, more: Partial<typeof address> = {}): WorkspaceEvent => ({
  type: 'SenderAddressConfigured',
  data: { ...address, status, ...more },
})
const configure = (status: 'pending' | 'verified', confirmationId = 'c1', more: Partial<typeof address> = {}): WorkspaceCommand => ({
  type: 'ConfigureSenderAddress',
  data: { ...address, status, ...more, confirmation: { confirmationId, at: hourOf(0) } },
})
const issued = (confirmationId: string, hour = 0, addressId = 'a'): WorkspaceEvent => ({
  type: 'SenderConfirmationIssued',
  data: { addressId, confirmationId, at: hourOf(hour), expiresAt: hourOf(hour + 7 * 24) },
})
const resend = (confirmationId: string, hour = 0): WorkspaceCommand => ({
  type: 'ResendSenderConfirmation',
  data: { addressId: 'a', confirmationId, at: hourOf(hour) },
})
const verify = (confirmationId: string, hour = 1): WorkspaceCommand => ({
  type: 'VerifySenderAddress',
  data: { addressId: 'a', confirmationId, at: hourOf(hour) },
})
const fail = (confirmationId: string, reason: SenderAddressFailure, hour = 1): WorkspaceCommand => ({
  type: 'FailSenderConfirmation',
  data: { confirmationId, reason, at: hourOf(hour) },
})
const verified: WorkspaceEvent = { type: 'SenderAddressVerified', data: { addressId: 'a' } }
const failed = (reason: SenderAddressFailure): WorkspaceEvent => ({ type: 'SenderAddressFailed', data: { addressId: 'a', reason } })

describe('a sender address that the operator does not vouch for', () => {
  it('is asked once, however often the file is applied', () => {
    given(created).when(configure('pending')).thenEvents(is('pending'), issued('c1'))
    given(created, is('pending'), issued('c1')).when(configure('pending', 'c2')).thenNothing()
    given(created, is('pending'), issued('c1'))
      .when(configure('pending', 'c2', { name: 'Shop' }))
      .thenEvents(is('pending', { name: 'Shop' }))
  })

  it('is asked where an earlier version added it, or the share of a day was used up', () => {
    given(created, is('pending')).when(configure('pending')).thenEvents(issued('c1'))
  })

  it('stays what its mailbox made it', () => {
    given(created, is('pending'), issued('c1'), verified).when(configure('pending', 'c2')).thenNothing()
    given(created, is('pending'), issued('c1'), failed('expired')).when(configure('pending', 'c2')).thenNothing()
    given(created, is('pending'), issued('c1'), verified)
      .when(configure('pending', 'c2', { name: 'Shop' }))
      .thenEvents(is('verified', { name: 'Shop' }))
    given(created, is('pending'), issued('c1'), verified, is('verified', { name: 'Shop' }))
      .when(configure('pending', 'c2', { name: 'Shop' }))
      .thenNothing()
  })

  it('is asked when the operator’s word is taken back', () => {
    given(created, is('verified')).when(configure('pending')).thenEvents(is('pending'), issued('c1'))
    given(created, is('pending'), issued('c1')).when(configure('verified')).thenEvents(is('verified'))
  })
})

describe('a confirmation', () => {
  const asked = [created, is('pending'), issued('c1')] as const

  it('verifies the address once, up to its last moment', () => {
    given(...asked)
      .when(verify('c1', 7 * 24))
      .thenEvents(verified)
    given(...asked, verified)
      .when(verify('c1', 8 * 24))
      .thenNothing()
    given(...asked)
      .when(verify('c1', 7 * 24 + 1))
      .thenRefused('sender_confirmation_expired')
  })

  it('of an older mail, or of none, verifies nothing', () => {
    given(...asked, issued('c2', 1))
      .when(verify('c1'))
      .thenRefused('sender_confirmation_unknown')
    given(...asked)
      .when(verify('c9'))
      .thenRefused('sender_confirmation_unknown')
    given(created).when(verify('c1')).thenRefused('sender_address_not_found')
  })

  it('counts also after a bounce was reported: the mailbox itself speaks', () => {
    given(...asked, failed('bounced'))
      .when(verify('c1'))
      .thenEvents(verified)
  })

  it('fails by a bounce, a complaint, a refusal', () => {
    for (const reason of ['bounced', 'complained', 'refused', 'unavailable'] as const)
      given(...asked)
        .when(fail('c1', reason))
        .thenEvents(failed(reason))
  })

  it('fails by its expiry, and not before it', () => {
    given(...asked)
      .when(fail('c1', 'expired', 7 * 24))
      .thenNothing()
    given(...asked)
      .when(fail('c1', 'expired', 7 * 24 + 1))
      .thenEvents(failed('expired'))
  })

  it('fails no verified address, and none that was asked again', () => {
    given(...asked, verified)
      .when(fail('c1', 'bounced'))
      .thenNothing()
    given(...asked, issued('c2', 1))
      .when(fail('c1', 'bounced'))
      .thenRefused('sender_confirmation_unknown')
  })

  it('is sent again for a pending and for a failed address, not for a verified one', () => {
    given(...asked)
      .when(resend('c2', 1))
      .thenEvents(issued('c2', 1))
    given(...asked, failed('expired'))
      .when(resend('c2', 200))
      .thenEvents(is('pending'), issued('c2', 200))
    given(...asked, verified)
      .when(resend('c2', 1))
      .thenRefused('sender_address_verified')
    given(created).when(resend('c2')).thenRefused('sender_address_not_found')
  })

  it('was sent once', () => {
    const sent: WorkspaceEvent = { type: 'SenderConfirmationSent', data: { addressId: 'a', confirmationId: 'c1' } }
    const record: WorkspaceCommand = { type: 'RecordConfirmationSent', data: { addressId: 'a', confirmationId: 'c1' } }
    given(...asked)
      .when(record)
      .thenEvents(sent)
    given(...asked, issued('c2', 1))
      .when(record)
      .thenNothing()
  })
})

describe('the mails of a day', () => {
  it('are three to an address', () => {
    const three = [created, is('pending'), issued('c1'), issued('c2', 1), issued('c3', 2)] as const
    given(...three)
      .when(resend('c4', 23))
      .thenRefused('sender_confirmation_capped')
    given(...three)
      .when(resend('c4', 24))
      .thenEvents(issued('c4', 24))
  })

  it('are fifty of a workspace; the address that comes after them is added, and asked by a later apply', () => {
    const fifty = Array.from({ length: 50 }, (_, n) => [is('pending', { addressId: `a${n}` }), issued(`c-${n}`, 0, `a${n}`)]).flat()
    given(created, ...fifty)
      .when(configure('pending'))
      .thenEvents(is('pending'))
    given(created, ...fifty, is('pending'))
      .when(resend('c1', 1))
      .thenRefused('sender_confirmations_capped')
    given(created, ...fifty, is('pending'))
      .when(resend('c1', 24))
      .thenEvents(issued('c1', 24))
  })
})
