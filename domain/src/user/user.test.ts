import { specFor } from '@tidings/testing/decider-spec'
import { describe, it } from 'vitest'
import { user } from './user.ts'

const { given } = specFor(user)

const data = { userId: 'u', email: 'owner@acme.example', passwordHash: '$scrypt$…', role: 'owner' } as const
const configured = { type: 'UserConfigured', data } as const

describe('a user', () => {
  it('is there once, and changes when password or role do', () => {
    given().when({ type: 'ConfigureUser', data }).thenEvents(configured)
    given(configured).when({ type: 'ConfigureUser', data }).thenNothing()
    for (const changed of [
      { ...data, role: 'member' },
      { ...data, passwordHash: '$scrypt$…2' },
    ] as const)
      given(configured).when({ type: 'ConfigureUser', data: changed }).thenEvents({ type: 'UserConfigured', data: changed })
  })
})
