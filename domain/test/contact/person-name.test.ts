import { expect, it } from 'vitest'
import { personName } from '../../src/index.ts'

it.each([
  [{ firstName: 'Noa', lastName: 'Levi', email: 'a@b', phone: null }, 'Noa Levi'],
  [{ firstName: '  ', lastName: null, email: 'a@b', phone: '+1' }, 'a@b'],
  [{ firstName: null, lastName: ' Levi ', email: 'a@b', phone: null }, 'Levi'],
  [{ firstName: null, lastName: null, email: null, phone: '+1' }, '+1'],
  [{ firstName: null, lastName: null, email: null, phone: null }, null],
])('calls a person by what is known: %#', (person, expected) => {
  expect(personName(person)).toBe(expected)
})
