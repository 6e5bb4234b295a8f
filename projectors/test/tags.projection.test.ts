import { foldAll } from '@tidings/projections/testing'
import { expect, test } from 'vitest'
import { tagsProjection } from '../src/tags.projection.ts'
import { moment, recorded, WORKSPACE } from './recorded.ts'

const tagId = '0192f0c1-0000-7000-8000-00000000000b'

test('a tag has a row, and keeps its name and birth when its color changes', () => {
  const events = recorded([
    { type: 'TagCreated', data: { tagId, name: 'spring', color: null } },
    { type: 'TagColorChanged', data: { tagId, color: 'accent' } },
  ])
  expect(foldAll(tagsProjection, events)).toEqual({
    tags: [{ workspace_id: WORKSPACE, id: tagId, name: 'spring', color: 'accent', created_at: moment(1), updated_at: moment(2) }],
  })
})
