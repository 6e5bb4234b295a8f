import { appendContext } from '@tidings/administration'
import { asApiKeyId, asWorkspaceId } from '@tidings/domain'
import { expect, it } from 'vitest'

const tenant = { workspaceId: asWorkspaceId('w'), slug: 'acme', keyId: asApiKeyId('k'), status: 'active' } as const
const at = '2026-11-21T12:00:00.000Z'
const of = (commandId: string, id: string, given?: string) =>
  appendContext({ tenant, user: null, commandId, id, headers: given === undefined ? {} : { 'x-request-id': given } }, at)

it('the events of a request are distinguished by its id', () => {
  expect(of('c1', 'r1')).toEqual({ commandId: 'c1', workspaceId: 'w', actor: 'key:k', requestId: 'r1', at })
  expect(of('c1', 'r1', 'not acceptable')).not.toHaveProperty('causationId')
})

it('and by its command where the caller gave the id, who may give it again', () => {
  expect([of('c1', 'job-7', 'job-7'), of('c2', 'job-7', 'job-7')]).toMatchObject([
    { requestId: 'job-7', causationId: 'c1' },
    { requestId: 'job-7', causationId: 'c2' },
  ])
})
