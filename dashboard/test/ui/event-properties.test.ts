import { expect, it } from 'vitest'
import { propertiesIn } from '../../src/ui/event-properties.ts'

it('properties of an event are a JSON object, or nothing', () => {
  expect(propertiesIn('  ')).toEqual({})
  expect(propertiesIn('{"total": 20}')).toEqual({ total: 20 })
  for (const text of ['[1]', 'null', '20', '{"total": 20', 'total: 20']) expect([text, propertiesIn(text)]).toEqual([text, null])
})
