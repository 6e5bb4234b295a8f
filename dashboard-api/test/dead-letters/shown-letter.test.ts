import { expect, it } from 'vitest'
import { shownLetter } from '../../src/dead-letters/shown-letter.ts'

const shown = (error: string): string =>
  shownLetter({
    ...{ id: crypto.randomUUID(), source: 'event', consumer: 'retired', workspaceId: null, reference: '1/1', payload: null },
    ...{ errorClass: 'TypeError', error, attempts: 1, state: 'open', note: null, firstSeenAt: new Date(0), lastSeenAt: new Date(0) },
  }).error

it.each([
  ['noa@pages.example is no +972501234567', '[address] is no [number]'],
  ['smtps://me@mail.example:p!ss@word@relay.example:465 is away', 'smtps://[login]@relay.example:465 is away'],
  ['postgres://tidings:a#b?c@[::1]/t', 'postgres://[login]@[::1]/t'],
  ['https://relay.example/a@b is no address', 'https://relay.example/[address] is no address'],
])('%s is shown without people and logins', (error, expected) => {
  expect(shown(error)).toBe(expected)
})
