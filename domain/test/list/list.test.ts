import { specFor } from '@tidings/testing/decider-spec'
import { describe, expect, it } from 'vitest'
import { asListId } from '../../src/index.ts'
import { list, refuseUnlessStatic } from '../../src/list/list.ts'

const { given } = specFor(list)

const data = { listId: asListId('l'), name: 'VIP', listType: 'static' } as const
const created = { type: 'ListCreated', data } as const

describe('a list', () => {
  it('is created once', () => {
    given().when({ type: 'ConfigureList', data }).thenEvents(created)
    given(created).when({ type: 'ConfigureList', data }).thenNothing()
  })

  it('has a rule where it is dynamic, and a new version of it only when the rule differs', () => {
    const big = { listId: asListId('l'), name: 'Big', listType: 'dynamic' } as const
    const rule = (value: number) => ({ field: 'customProperties.spend', op: 'gte', value }) as const
    const configure = (value: number) => ({ type: 'ConfigureList', data: { ...big, rule: { all: [rule(value)] } } }) as const
    const ruled = (version: number, value: number) =>
      ({ type: 'ListRuleChanged', data: { listId: asListId('l'), version, rule: { all: [rule(value)] } } }) as const
    given().when(configure(5)).thenEvents({ type: 'ListCreated', data: big }, ruled(1, 5))
    given({ type: 'ListCreated', data: big }, ruled(1, 5)).when(configure(6)).thenEvents(ruled(2, 6))
    const known = given({ type: 'ListCreated', data: big }, ruled(1, 5), ruled(2, 6))
    known.when(configure(5)).thenEvents(ruled(3, 5))
    const restore = { ...configure(5), data: { ...configure(5).data, restoredFrom: 1 } }
    known.when(restore).thenEvents({ ...ruled(3, 5), data: { ...ruled(3, 5).data, restoredFrom: 1 } })
    given({ type: 'ListCreated', data: big }, ruled(1, 5)).when(restore).thenNothing()
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
