import { asWorkspaceId } from '@tidings/domain'
import { expect, test } from 'vitest'
import { factOf } from '../src/fact.ts'

test('a fact shows no token of a link of ours that a relay quotes', () => {
  const event = {
    meta: { workspaceId: asWorkspaceId('w'), actor: 'pipeline', requestId: 'r', at: '2026-11-21T10:00:00.000Z', schemaVersion: 1 },
    position: { commit: 1n, prepare: 0n },
    type: 'MessageFailed',
  }
  const says = (token: string) => `failed (provider_rejected): 554 5.7.1 the address https://tidings.example/u?t=${token} is blocked`
  expect(factOf(event, says(`AQ${'aZ0_-9'.repeat(12)}`)).says).toBe(says('(secret)'))
})
