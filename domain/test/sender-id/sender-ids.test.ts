import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../src/kernel.ts'
import type { SenderIdsEvent } from '../../src/sender-id/sender-ids.ts'
import { type SenderIdsCommand, senderIds } from '../../src/sender-id/sender-ids.ts'

const { given } = specFor(senderIds)

const senderId = 'ACME'
const requested: SenderIdsEvent = { type: 'SmsSenderIdRequested', data: { senderId } }
const approved: SenderIdsEvent = { type: 'SmsSenderIdApproved', data: { senderId } }
const rejected: SenderIdsEvent = { type: 'SmsSenderIdRejected', data: { senderId, reason: null } }
const deactivated: SenderIdsEvent = { type: 'SmsSenderIdDeactivated', data: { senderId } }

const configure = (status: 'pending' | 'approved' | 'rejected', name = senderId): SenderIdsCommand => ({
  type: 'ConfigureSenderId',
  data: { senderId: name, status },
})
const approve: SenderIdsCommand = { type: 'ApproveSenderId', data: { senderId } }
const reject: SenderIdsCommand = { type: 'RejectSenderId', data: { senderId, reason: 'not yours' } }
const deactivate: SenderIdsCommand = { type: 'DeactivateSenderId', data: { senderId } }

describe('an SMS sender ID', () => {
  it('is asked for, then approved or rejected with a reason', () => {
    given().when(configure('pending')).thenEvents(requested)
    given(requested).when(approve).thenEvents(approved)
    given(requested)
      .when(reject)
      .thenEvents({ type: 'SmsSenderIdRejected', data: { senderId, reason: 'not yours' } })
  })

  it('that was rejected is asked for again before it can be approved', () => {
    given(requested, rejected).when(approve).thenRefused('sender_id_rejected')
    given(requested, rejected).when(configure('pending')).thenEvents(requested)
    given(requested, rejected).when(configure('approved')).thenEvents(requested, approved)
  })

  it('that is approved can be rejected, or deactivated and brought back', () => {
    given(requested, approved)
      .when(reject)
      .thenEvents({ type: 'SmsSenderIdRejected', data: { senderId, reason: 'not yours' } })
    given(requested, approved).when(deactivate).thenEvents(deactivated)
    given(requested, approved, deactivated).when(approve).thenEvents(approved)
    given(requested, approved, deactivated).when(configure('approved')).thenEvents(approved)
  })

  it('is deactivated only where it was approved', () => {
    given(requested).when(deactivate).thenRefused('sender_id_not_approved')
    given(requested, rejected).when(deactivate).thenRefused('sender_id_not_approved')
  })

  it('must be there to be decided', () => {
    for (const command of [approve, reject, deactivate]) given().when(command).thenRefused('sender_id_not_found')
  })

  it('comes with the file as the file says', () => {
    given().when(configure('approved')).thenEvents(requested, approved)
    given().when(configure('rejected')).thenEvents(requested, rejected)
    given(requested, approved).when(configure('pending')).thenNothing()
    given(requested, approved).when(configure('rejected')).thenEvents(rejected)
  })

  it('is one whatever its case, in the casing of the first', () => {
    given(requested).when(configure('approved', 'Acme')).thenEvents(approved)
    given(requested)
      .when({ type: 'ApproveSenderId', data: { senderId: 'acme' } })
      .thenEvents(approved)
  })

  it('is never a shared name of the platform', () => {
    for (const name of ['SENDER', 'info', 'Shop']) given().when(configure('approved', name)).thenRefused('sender_id_reserved')
  })

  it('is there once, whatever is asked', () => {
    const names = fc.constantFrom('ACME', 'acme', 'Shop', 'Other')
    const command = fc.oneof(
      fc.tuple(names, fc.constantFrom('pending', 'approved', 'rejected')).map(([name, status]) => configure(status, name)),
      fc
        .tuple(names, fc.constantFrom('ApproveSenderId', 'DeactivateSenderId'))
        .map(([name, type]): SenderIdsCommand => ({ type, data: { senderId: name } })),
    )
    fc.assert(
      fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
        let state = senderIds.initialState
        for (const one of commands) {
          try {
            state = senderIds.decide(one, state).reduce(senderIds.evolve, state)
          } catch (error) {
            expect(error).toBeInstanceOf(Refused)
          }
        }
        const known = state.map((one) => one.senderId.toLowerCase())
        expect(new Set(known).size).toBe(known.length)
        expect(known).not.toContain('shop')
      }),
    )
  })
})
