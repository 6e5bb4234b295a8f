import { createCommandRunner } from '@tidings/commands'
import { contextOf, modelLog } from '@tidings/commands/testing'
import { connectors, connectorsStream } from '@tidings/domain'
import type { FastifyRequest } from 'fastify'
import { expect, it } from 'vitest'
import { createRecord } from '../../src/editing/create-record.ts'

const { workspaceId } = contextOf('any')
const now = () => '2026-03-03T12:00:00.000Z'
const requestOf = (word: string) =>
  ({
    tenant: { workspaceId },
    user: { userId: 'u', actsAsOperator: false },
    commandId: contextOf(word).commandId,
    id: word,
    headers: {},
  }) as unknown as FastifyRequest

it('makes no more records of a stream than it has room for, however many are asked for at once', async () => {
  const commands = createCommandRunner({ log: modelLog().log })
  const make = (name: string) =>
    createRecord({ commands, now }, requestOf(name), {
      decider: connectors,
      stream: connectorsStream(workspaceId),
      command: { type: 'ConfigureConnector', data: { connectorId: name, name, secret: 'secret-of-a-shop' } },
      exists: (known) => known.some((one) => one.connectorId === name),
      taken: 'connector_name_taken',
      limit: { isReached: (known) => known.length >= 3, refusal: 'connector_limit_reached' },
    }).then(
      () => 'made',
      (error: unknown) => (error as Readonly<{ code: string }>).code,
    )
  const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map(make))
  expect(answers.toSorted()).toEqual(['connector_limit_reached', 'connector_limit_reached', 'made', 'made', 'made'])
  expect((await commands.load({ decider: connectors, stream: connectorsStream(workspaceId), workspaceId })).state).toHaveLength(3)
})
