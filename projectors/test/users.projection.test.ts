import type { UserEvent } from '@tidings/domain'
import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { usersProjection } from '../src/users.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const userId = '0192f0c1-0000-7000-8000-00000000000c'
const data = { userId, email: 'owner@acme.example', passwordHash: '$scrypt$…', role: 'owner' } as const
const configured: UserEvent = { type: 'UserConfigured', data }
const rows = (events: readonly UserEvent[], erased = false) => foldAll(usersProjection, recorded(events, erased)).users

test('a user has an address and a role, and no trace of a password', () => {
  expect(rows([configured, { type: 'UserConfigured', data: { ...data, role: 'member' } }])).toEqual([
    { workspace_id: WORKSPACE, id: userId, email: data.email, role: 'member', created_at: moment(1), updated_at: moment(2) },
  ])
})

test('a user who was removed, or erased, is gone', () => {
  expect(rows([configured, { type: 'UserRemoved', data: { userId } }])).toEqual([])
  expect(rows([configured], true)).toEqual([])
})

test('an address that a log from before M46 has in another spelling is the one that a sign-in asks for', () => {
  expect(rows([{ type: 'UserConfigured', data: { ...data, email: 'owner@xn--bcher-kva.example' } }])).toMatchObject([
    { email: 'owner@bücher.example' },
  ])
})
