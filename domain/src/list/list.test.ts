import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { list, refuseUnlessStatic } from './list.ts'

const { given } = specFor(list)

const data = { listId: 'l', name: 'VIP', listType: 'static' } as const
const created = { type: 'ListCreated', data } as const

describe('a list', () => {
  it('is created once', () => {
    given().when({ type: 'ConfigureList', data }).thenEvents(created)
    given(created).when({ type: 'ConfigureList', data }).thenNothing()
  })

  it('keeps its type', () => {
    given(created)
      .when({ type: 'ConfigureList', data: { ...data, listType: 'dynamic' } })
      .thenRefused('list_type_fixed')
  })

  it('takes members by name only when it is there and static', () => {
    expect(() => refuseUnlessStatic({ name: 'VIP', listType: 'static' })).not.toThrow()
    expect(() => refuseUnlessStatic(null)).toThrow('list_not_found')
    expect(() => refuseUnlessStatic({ name: 'Big', listType: 'dynamic' })).toThrow('list_not_static')
  })
})
