import { specFor } from '@tidings/testing/decider-spec'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refused } from '../../src/kernel.ts'
import type { TagsEvent } from '../../src/tags/tags.ts'
import { type CreateTag, MAX_TAGS, tags } from '../../src/tags/tags.ts'

const { given } = specFor(tags)

const created = (tagId: string, name: string): TagsEvent => ({ type: 'TagCreated', data: { tagId, name, color: null } })
const create = (tagId: string, name: string): CreateTag => ({ type: 'CreateTag', data: { tagId, name, color: null } })
const full = Array.from({ length: MAX_TAGS }, (_, n) => created(String(n), `tag ${n}`))

describe('the tags of a workspace', () => {
  it('grow by a tag of a new name, which is compared exactly', () => {
    given().when(create('1', 'spring')).thenEvents(created('1', 'spring'))
    given(created('1', 'spring')).when(create('2', 'Spring')).thenEvents(created('2', 'Spring'))
  })

  it('have each name once', () => {
    given(created('1', 'spring')).when(create('2', 'spring')).thenRefused('tag_name_taken')
  })

  it('have a name once, in whatever form it was stored (M46)', () => {
    given(created('1', 'cafe\u0301')).when(create('2', 'caf\u00e9')).thenRefused('tag_name_taken')
    given(created('1', 'caf\u00e9')).when(create('2', 'cafe\u0301')).thenRefused('tag_name_taken')
  })

  it('know a creation that was done before', () => {
    given(created('1', 'spring')).when(create('1', 'spring')).thenNothing()
  })

  it('are at most 200, and a name that is taken is refused first', () => {
    given(...full.slice(1))
      .when(create('new', 'new'))
      .thenEvents(created('new', 'new'))
    given(...full)
      .when(create('new', 'new'))
      .thenRefused('tag_limit_reached')
    given(...full)
      .when(create('new', 'tag 7'))
      .thenRefused('tag_name_taken')
  })

  it('can be configured: made, or given another color under the id they have', () => {
    const configure = (name: string, color: 'accent' | null) => ({ type: 'ConfigureTag', data: { tagId: 'new', name, color } }) as const
    given()
      .when(configure('spring', 'accent'))
      .thenEvents({ type: 'TagCreated', data: { tagId: 'new', name: 'spring', color: 'accent' } })
    given(created('1', 'spring'))
      .when(configure('spring', 'accent'))
      .thenEvents({ type: 'TagColorChanged', data: { tagId: '1', color: 'accent' } })
    given(created('1', 'spring'), created('2', 'autumn')).when(configure('spring', null)).thenNothing()
    given(...full)
      .when(configure('new', null))
      .thenRefused('tag_limit_reached')
  })

  it('stay unique and within the limit, whatever is asked', () => {
    const commands = fc.array(
      fc.record({
        type: fc.constantFrom('CreateTag', 'ConfigureTag'),
        data: fc.record({ tagId: fc.uuid(), name: fc.nat(260).map(String), color: fc.constantFrom('warn', null) }),
      }),
      { minLength: 200, maxLength: 600 },
    )
    fc.assert(
      fc.property(commands, (all) => {
        let state = tags.initialState
        for (const command of all) {
          try {
            state = tags.decide(command, state).reduce(tags.evolve, state)
          } catch (error) {
            expect(error).toBeInstanceOf(Refused)
          }
        }
        expect(state.length).toBeLessThanOrEqual(MAX_TAGS)
        expect(new Set(state.map(({ name }) => name)).size).toBe(state.length)
      }),
      { numRuns: 20 },
    )
  })
})
