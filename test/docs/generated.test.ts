import { readFileSync } from 'node:fs'
import { eventDeclarations } from '@tidings/domain'
import { expect, it } from 'vitest'
import { events, streams } from './generated/event-sentences.ts'
import { ROOT, readPage, withSection } from './markdown.ts'
import { generated, generatedFiles } from './pages.ts'

it.each(generated)('$page says about $section what the code says (else: node test/docs/write.ts)', ({ page, section, text }) => {
  const current = readPage(page)
  expect(current).toBe(withSection(current, section, text()))
})

it.each(generatedFiles)('$path is what the code says (else: node test/docs/write.ts)', ({ path, text }) => {
  expect(readFileSync(`${ROOT}${path}`, 'utf8')).toBe(text())
})

it('every declared event type has its sentence and its stream, and no other', () => {
  const declared = Object.keys(eventDeclarations).sort()
  expect(Object.keys(events).sort()).toEqual(declared)
  expect(streams.flatMap(({ types }) => types).sort()).toEqual(declared)
})

it('a generated text is long enough to say something', () => {
  for (const { section, text } of generated) expect(text().split('\n').length, section).toBeGreaterThan(2)
})
