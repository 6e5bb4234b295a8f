import { TAG_COLORS, type TagsEvent } from '@tidings/domain'
import fc from 'fast-check'
import { maybe, words } from './arbitraries.ts'

const color = maybe(fc.constantFrom(...TAG_COLORS))

const tagLife = fc
  .tuple(fc.record({ tagId: fc.uuid(), name: words, color }), fc.array(color, { maxLength: 2 }))
  .map(([data, colors]): readonly TagsEvent[] => [
    { type: 'TagCreated', data },
    ...colors.map((changed): TagsEvent => ({ type: 'TagColorChanged', data: { tagId: data.tagId, color: changed } })),
  ])

/** The tags of one workspace. */
export const tagsLife: fc.Arbitrary<readonly TagsEvent[]> = fc.array(tagLife, { maxLength: 4 }).map((all) => all.flat())
