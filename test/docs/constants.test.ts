import { expect, it } from 'vitest'
import { constants } from './constants.ts'
import { readPage } from './markdown.ts'

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

it.each(constants())('$page says "$says", as the code has it', ({ page, says }) => {
  expect(oneLine(readPage(page)).includes(says), `${page} does not`).toBe(true)
})

it('the answers at the top of the benchmarks are figures of its table', () => {
  const [answers = '', figures = ''] = readPage('docs/reference/benchmarks.md').split('## Method')
  const numbers = answers.match(/\d{1,2},\d{3}/g) ?? []
  expect(numbers.length).toBeGreaterThan(7)
  expect(numbers.filter((number) => !figures.includes(number))).toEqual([])
})
