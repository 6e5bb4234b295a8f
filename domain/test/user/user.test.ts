import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { managesApiKeys, user } from '../../src/user/user.ts'

const { given } = specFor(user)

const data = { userId: 'u', email: 'owner@acme.example', passwordHash: '$scrypt$…', role: 'owner' } as const
const configured = { type: 'UserConfigured', data } as const
const removed = { type: 'UserRemoved', data: { userId: 'u' } } as const
const changes = [
  { ...data, role: 'member' },
  { ...data, passwordHash: '$scrypt$…2' },
] as const

describe('a user', () => {
  it('is there once, and changes when password or role do', () => {
    given().when({ type: 'ConfigureUser', data }).thenEvents(configured)
    given(configured).when({ type: 'ConfigureUser', data }).thenNothing()
    for (const changed of changes)
      given(configured).when({ type: 'ConfigureUser', data: changed }).thenEvents({ type: 'UserConfigured', data: changed })
  })

  it('is added once: one that is there keeps role and password', () => {
    given().when({ type: 'AddUser', data }).thenEvents(configured)
    given(configured).when({ type: 'AddUser', data }).thenNothing()
    for (const other of changes) given(configured).when({ type: 'AddUser', data: other }).thenRefused('user_exists')
  })

  it('keeps the role when the password changes', () => {
    const change = { type: 'ChangePassword', data: { userId: 'u', passwordHash: '$scrypt$…2' } } as const
    given({ type: 'UserConfigured', data: { ...data, role: 'member' } })
      .when(change)
      .thenEvents({ type: 'UserConfigured', data: { ...data, role: 'member', passwordHash: '$scrypt$…2' } })
    given().when(change).thenRefused('user_not_found')
    given(configured, removed).when(change).thenRefused('user_not_found')
  })

  it('is removed, and can be added again', () => {
    const remove = { type: 'RemoveUser', data: { userId: 'u' } } as const
    given().when(remove).thenNothing()
    given(configured).when(remove).thenEvents(removed)
    given(configured, removed).when(remove).thenNothing()
    given(configured, removed).when({ type: 'AddUser', data }).thenEvents(configured)
    given(configured, removed).when({ type: 'ConfigureUser', data }).thenEvents(configured)
  })

  it.each([
    ['owner', true],
    ['admin', true],
    ['member', false],
  ] as const)('who is %s manages API keys: %s', (role, may) => {
    expect(managesApiKeys(role)).toBe(may)
  })
})
