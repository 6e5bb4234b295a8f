import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asContactId, asWorkspaceId, type ContactId } from '../../src/ids.ts'
import { asListId } from '../../src/index.ts'
import type { MembersEvent } from '../../src/members/members.ts'
import { bucketOf, type MembersCommand, members, membersStream } from '../../src/members/members.ts'

const { given } = specFor(members)

const added = (contactId: ContactId): MembersEvent => ({
  type: 'ContactAddedToList',
  data: { listId: asListId('l'), contactId, reason: 'request' },
})
const removed = (contactId: ContactId): MembersEvent => ({
  type: 'ContactRemovedFromList',
  data: { listId: asListId('l'), contactId, reason: 'request' },
})
const add = (...contactIds: readonly ContactId[]): MembersCommand => ({ type: 'AddMembers', data: { listId: asListId('l'), contactIds } })
const remove = (...contactIds: readonly ContactId[]): MembersCommand => ({
  type: 'RemoveMembers',
  data: { listId: asListId('l'), contactIds },
})

describe('the members of a bucket', () => {
  it('are added once each, however often they are named', () => {
    given()
      .when(add(asContactId('ann'), asContactId('bob'), asContactId('ann')))
      .thenEvents(added(asContactId('ann')), added(asContactId('bob')))
    given(added(asContactId('ann')))
      .when(add(asContactId('ann'), asContactId('bob')))
      .thenEvents(added(asContactId('bob')))
    given(added(asContactId('ann')))
      .when(add(asContactId('ann')))
      .thenNothing()
  })

  it('change for the reason that is given', () => {
    const command: MembersCommand = {
      type: 'AddMembers',
      data: { listId: asListId('l'), contactIds: [asContactId('ann')], reason: 'time' },
    }
    given()
      .when(command)
      .thenEvents({ type: 'ContactAddedToList', data: { listId: asListId('l'), contactId: asContactId('ann'), reason: 'time' } })
  })

  it('are removed where they are members', () => {
    given(added(asContactId('ann')), added(asContactId('bob')))
      .when(remove(asContactId('bob'), asContactId('cid'), asContactId('bob')))
      .thenEvents(removed(asContactId('bob')))
    given()
      .when(remove(asContactId('ann')))
      .thenNothing()
  })

  it('can come back', () => {
    given(added(asContactId('ann')), removed(asContactId('ann')))
      .when(add(asContactId('ann')))
      .thenEvents(added(asContactId('ann')))
  })

  it('are those whom the log of additions and removals leaves, and every event changes one of them', () => {
    const names = fc.subarray(['ann', 'bob', 'cid', 'dan'])
    const commands = fc.array(
      fc.oneof(
        names.map((all) => add(...all.map(asContactId))),
        names.map((all) => remove(...all.map(asContactId))),
      ),
    )
    fc.assert(
      fc.property(commands, (all) => {
        const model = new Set<string>()
        let state = members.initialState
        for (const command of all) {
          const events = members.decide(command, state)
          state = events.reduce(members.evolve, state)
          const before = model.size
          for (const contactId of command.data.contactIds) {
            if (command.type === 'AddMembers') model.add(contactId)
            else model.delete(contactId)
          }
          expect(events).toHaveLength(Math.abs(model.size - before))
          expect(new Set(state)).toEqual(model)
        }
      }),
    )
  })
})

it('a contact is in the bucket of its id’s last four digits, which names the stream', () => {
  const bucket = bucketOf(asContactId('0192f0c1-0000-7000-8000-00000000beef'))
  expect(bucket).toBe('beef')
  expect(membersStream(asWorkspaceId('w'), asListId('l'), bucket)).toBe('members-w-l-beef')
})
