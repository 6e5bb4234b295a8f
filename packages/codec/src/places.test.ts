import { asWorkspaceId } from '@tidings/domain'
import { describe, expect, it } from 'vitest'
import { placesOf } from './places.ts'

const context = (commandId: string) => ({
  commandId,
  workspaceId: asWorkspaceId('w'),
  actor: 'a',
  requestId: 'r',
  at: '2026-01-01T00:00:00.000Z',
})

describe('the places of an append', () => {
  it('are numbered through for one command', () => {
    const placeOf = placesOf('s', 2, context('a'))
    expect([placeOf(0), placeOf(1)].map(({ n, context: { commandId } }) => [commandId, n])).toEqual([
      ['a', 0],
      ['a', 1],
    ])
  })

  it('are numbered for each of several commands, as if it were alone', () => {
    const placeOf = placesOf('s', 3, [context('a'), context('b'), context('a')])
    expect([0, 1, 2].map(placeOf).map(({ n, context: { commandId } }) => [commandId, n])).toEqual([
      ['a', 0],
      ['b', 0],
      ['a', 1],
    ])
  })

  it('need a context for each event', () => {
    expect(() => placesOf('s', 2, [context('a')])).toThrow('one context for each event')
  })
})
