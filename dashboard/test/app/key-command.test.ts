import { expect, it } from 'vitest'
import { findKeys } from '../../src/app/find-keys.ts'
import { keyCommand } from '../../src/app/key-command.ts'

const none = {
  code: '',
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  repeat: false,
  isComposing: false,
  keyCode: 0,
  isAltGraph: false,
}
const control = { ctrlKey: true }

it.each([
  ['an American layout', { key: 'k', code: 'KeyK', ...control }, 'find'],
  ['a Mac', { key: 'k', code: 'KeyK', metaKey: true }, 'find'],
  ['caps lock', { key: 'K', code: 'KeyK', ...control }, 'find'],
  ['a Hebrew layout', { key: 'ל', code: 'KeyK', ...control }, 'find'],
  ['a Russian layout', { key: 'л', code: 'KeyK', ...control }, 'find'],
  ['Dvorak, where t has the place of k', { key: 't', code: 'KeyK', ...control }, null],
  ['Dvorak, where k has the place of v', { key: 'k', code: 'KeyV', ...control }, 'find'],
  ['Control and Shift, which browsers keep', { key: 'K', code: 'KeyK', ...control, shiftKey: true }, null],
  ['Control and Alt', { key: 'k', code: 'KeyK', ...control, altKey: true }, null],
  ['Control and Meta', { key: 'k', code: 'KeyK', ...control, metaKey: true }, null],
  ['k alone', { key: 'k', code: 'KeyK' }, 'up'],
  ['j, held down', { key: 'j', code: 'KeyJ', repeat: true }, 'down'],
  ['j in Hebrew', { key: 'ח', code: 'KeyJ' }, 'down'],
  ['k in Hebrew', { key: 'ל', code: 'KeyK' }, 'up'],
  ['J, which is another key', { key: 'J', code: 'KeyJ', shiftKey: true }, null],
  ['h in Dvorak, which has the place of j', { key: 'h', code: 'KeyJ' }, null],
  ['the sign / of an American layout', { key: '/', code: 'Slash' }, 'filter'],
  ['the sign / of a Hebrew layout, at the place of q', { key: '/', code: 'KeyQ' }, 'filter'],
  ['what a Hebrew layout types at the place of /', { key: '.', code: 'Slash' }, null],
  ['what a German layout types at the place of /', { key: '-', code: 'Slash' }, null],
  ['the sign / of a German layout', { key: '/', code: 'Digit7', shiftKey: true }, 'filter'],
  ['the sign / behind Alt Gr', { key: '/', code: 'KeyQ', ctrlKey: true, altKey: true, isAltGraph: true }, 'filter'],
  ['the sign / held down', { key: '/', code: 'Slash', repeat: true }, null],
  ['the sign ? of a Hebrew layout', { key: '?', code: 'Slash', shiftKey: true }, 'list'],
  ['Escape', { key: 'Escape', code: 'Escape' }, 'back'],
  ['Escape that ends a composition', { key: 'Escape', code: 'Escape', isComposing: true }, null],
  ['a key that an input method has taken', { key: 'Process', code: 'KeyK', ...control }, null],
  ['the same in an old browser', { key: 'j', code: 'KeyJ', keyCode: 229 }, null],
  ['a dead key', { key: 'Dead', code: 'KeyJ' }, null],
  ['any other', { key: 'q', code: 'KeyQ' }, null],
  ['Alt Gr and j', { key: 'j', code: 'KeyJ', ctrlKey: true, altKey: true, isAltGraph: true }, null],
] as const)('a key asks for what the person meant: %s', (_, pressed, expected) => {
  expect(keyCommand({ ...none, ...pressed })).toBe(expected)
})

it('says the key of a Mac on a Mac', () => {
  expect(['MacIntel', 'iPad', 'Win32', 'Linux x86_64'].map((platform) => findKeys(platform))).toEqual(['⌘ K', '⌘ K', 'Ctrl K', 'Ctrl K'])
})
