import { expect, it } from 'vitest'
import { addressesIn } from '../../../src/screens/list/addresses.ts'

it('reads addresses as they are pasted, each once', () => {
  expect(addressesIn(' a@b.example\nc@d.example, a@b.example;e@f.example\r\n\n')).toEqual(['a@b.example', 'c@d.example', 'e@f.example'])
  expect(addressesIn(' \n ')).toEqual([])
})
