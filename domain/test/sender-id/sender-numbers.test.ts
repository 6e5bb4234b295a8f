import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asWorkspaceId, type WorkspaceId } from '../../src/ids.ts'
import { Refused } from '../../src/kernel.ts'
import {
  type AssignSenderNumbers,
  numberOfSender,
  ownerOfNationalNumber,
  ownerOfNumber,
  ownersOfNumber,
  type SenderNumbersEvent,
  type SenderNumbersState,
  senderNumbers,
} from '../../src/sender-id/sender-numbers.ts'

const { given } = specFor(senderNumbers)

const [one, other] = [asWorkspaceId('0192f0c1-0000-7000-8000-000000000001'), asWorkspaceId('0192f0c1-0000-7000-8000-000000000002')]
const [first, second] = ['+972501110000', '+972502220000']
const assign = (workspaceId: WorkspaceId, numbers: Readonly<Record<string, string | null>>): AssignSenderNumbers => ({
  type: 'AssignSenderNumbers',
  data: { workspaceId, numbers: Object.entries(numbers).map(([senderId, number]) => ({ senderId, number })) },
})
const set = (workspaceId: WorkspaceId, senderId: string, number: string): SenderNumbersEvent => ({
  type: 'SmsSenderNumberSet',
  data: { workspaceId, senderId, number },
})
const removed = (workspaceId: WorkspaceId, senderId: string, number: string): SenderNumbersEvent => ({
  type: 'SmsSenderNumberRemoved',
  data: { workspaceId, senderId, number },
})
const after = (...events: readonly SenderNumbersEvent[]): SenderNumbersState =>
  events.reduce(senderNumbers.evolve, senderNumbers.initialState)

describe('the number behind a sender ID', () => {
  it('is set, changed and removed; the one before is free at once', () => {
    given()
      .when(assign(one, { SHOP1: first }))
      .thenEvents(set(one, 'SHOP1', first))
    given(set(one, 'SHOP1', first))
      .when(assign(one, { SHOP1: second }))
      .thenEvents(removed(one, 'SHOP1', first), set(one, 'SHOP1', second))
    given(set(one, 'SHOP1', first))
      .when(assign(one, { SHOP1: null }))
      .thenEvents(removed(one, 'SHOP1', first))
    given(set(one, 'SHOP1', first), removed(one, 'SHOP1', first))
      .when(assign(other, { OTHER: first }))
      .thenEvents(set(other, 'OTHER', first))
  })

  it('is of no other sender ID, of another workspace or of the same', () => {
    for (const command of [assign(other, { SHOP1: first }), assign(one, { OTHER: first }), assign(one, { A: second, B: second })])
      given(set(one, 'SHOP1', first))
        .when(command)
        .thenRefused('sender_number_taken')
  })

  it('is exchanged inside a workspace in one command, also in a circle', () => {
    const third = '+972503330000'
    given(set(one, 'A', first), set(one, 'B', second), set(one, 'C', third))
      .when(assign(one, { A: second, B: third, C: first }))
      .thenEvents(
        ...[removed(one, 'A', first), removed(one, 'B', second), removed(one, 'C', third)],
        ...[set(one, 'A', second), set(one, 'B', third), set(one, 'C', first)],
      )
  })

  it('is of the sender ID in any case, and stays where the command does not name it', () => {
    given(set(one, 'ShopTel', first))
      .when(assign(one, { SHOPTEL: first, OTHER: null }))
      .thenNothing()
    given(set(one, 'ShopTel', first))
      .when(assign(one, {}))
      .thenNothing()
    expect(numberOfSender(after(set(one, 'ShopTel', first)), { workspaceId: one, senderId: 'SHOPTEL' })).toBe(first)
    expect(numberOfSender(after(set(one, 'ShopTel', first)), { workspaceId: other, senderId: 'ShopTel' })).toBeNull()
  })

  it('is known by whom it had last, once it is free, until it is set again', () => {
    const free = [set(one, 'A', first), removed(one, 'A', first)]
    expect(ownerOfNumber(after(...free), first)).toBeUndefined()
    expect(ownersOfNumber(after(...free), first)).toMatchObject([{ workspaceId: one, senderId: 'A' }])
    expect(ownersOfNumber(after(...free, set(other, 'B', first)), first)).toMatchObject([
      { workspaceId: other, senderId: 'B' },
      { workspaceId: one, senderId: 'A' },
    ])
  })

  it('is found by its national digits only where no other ends with them', () => {
    expect(ownerOfNationalNumber(after(set(one, 'A', first)), '501110000')).toMatchObject({ senderId: 'A' })
    expect(ownerOfNationalNumber(after(set(one, 'A', first)), '601110000')).toBeUndefined()
    expect(ownerOfNationalNumber(after(set(one, 'A', first), set(other, 'B', '+49501110000')), '501110000')).toBeUndefined()
  })

  it('is one’s alone, whatever is assigned by whom, and both ways of looking agree', () => {
    const number = fc.constantFrom('+972501110000', '+972502220000', '+972503330100', '+491701110000')
    const command = fc
      .record({
        workspaceId: fc.constantFrom(one, other, '0192f0c1-0000-7000-8000-000000000102'),
        numbers: fc.dictionary(fc.constantFrom('A', 'B', 'C', '__proto__'), fc.option(number)),
      })
      .map(({ workspaceId, numbers }) => assign(asWorkspaceId(workspaceId), numbers))
    fc.assert(
      fc.property(fc.array(command, { maxLength: 20 }), (commands) => {
        let state = senderNumbers.initialState
        const owned = new Map<string, string>()
        for (const { type, data } of commands) {
          const asked = new Map(data.numbers.map(({ senderId, number: wanted }) => [`${data.workspaceId} ${senderId}`, wanted]))
          const next = new Map(
            [...new Map<string, string | null>([...owned, ...asked])].filter((entry): entry is [string, string] => entry[1] !== null),
          )
          const isUnique = new Set(next.values()).size === next.size
          try {
            state = senderNumbers.decide({ type, data }, state).reduce(senderNumbers.evolve, state)
            expect(isUnique).toBe(true)
            owned.clear()
            for (const [sender, wanted] of next) owned.set(sender, wanted)
          } catch (error) {
            expect([error instanceof Refused, isUnique]).toEqual([true, false])
          }
          for (const [sender, wanted] of owned) {
            const [workspace = '', senderId = ''] = sender.split(' ')
            const workspaceId = asWorkspaceId(workspace)
            expect(numberOfSender(state, { workspaceId, senderId })).toBe(wanted)
            expect(ownerOfNumber(state, wanted)).toMatchObject({ workspaceId, senderId })
          }
        }
      }),
    )
  })
})
