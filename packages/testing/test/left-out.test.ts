import { expect, test } from 'vitest'
import { checkRequired, isRequired, leftOut } from '../src/left-out.ts'

test('a suite that is not required is left out', () => {
  expect(leftOut('eventstoredb-docker', 'Docker does not answer.', { TIDINGS_TEST_REQUIRE: 'kafka' })).toBe(false)
})

test('a required suite that cannot run is a failure that says why', () => {
  const env = { TIDINGS_TEST_REQUIRE: 'kafka, eventstoredb-docker' }
  expect(isRequired('eventstoredb-docker', env)).toBe(true)
  expect(() => leftOut('eventstoredb-docker', 'Docker does not answer.', env)).toThrow(
    'The eventstoredb-docker tests are left out: Docker does not answer. TIDINGS_TEST_REQUIRE asks for them.',
  )
})

test('what does not exist cannot be required', () => {
  expect(() => checkRequired({ TIDINGS_TEST_REQUIRE: 'kafka,postgres' })).toThrow(/^TIDINGS_TEST_REQUIRE names postgres.*There are: kafka/)
  expect(() => checkRequired({ TIDINGS_TEST_REQUIRE: 'kafka, eventstoredb-docker,' })).not.toThrow()
  expect(() => checkRequired({})).not.toThrow()
})
