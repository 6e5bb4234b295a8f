import { asWorkspaceId } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { positionsOf } from '../src/stream-positions.ts'

const context = (commandId: string) => ({
  commandId,
  workspaceId: asWorkspaceId('w'),
  actor: 'a',
  requestId: 'r',
  at: '2026-01-01T00:00:00.000Z',
})

describe('the places of an append', () => {
  it('are numbered through for one command', () => {
    const positionOf = positionsOf('s', 2, context('a'))
    expect([positionOf(0), positionOf(1)].map(({ n, context: { commandId } }) => [commandId, n])).toEqual([
      ['a', 0],
      ['a', 1],
    ])
  })

  it('are numbered for each of several commands, as if it were alone', () => {
    const positionOf = positionsOf('s', 3, [context('a'), context('b'), context('a')])
    expect([0, 1, 2].map(positionOf).map(({ n, context: { commandId } }) => [commandId, n])).toEqual([
      ['a', 0],
      ['b', 0],
      ['a', 1],
    ])
  })

  it('need a context for each event', () => {
    expect(() => positionsOf('s', 2, [context('a')])).toThrow('one context for each event')
  })
})
