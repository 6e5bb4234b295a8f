import { describe, expect, it } from 'vitest'
import { constants } from './constants.ts'
import { readPage } from './markdown.ts'

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

it.each(constants())('$page says "$says", as the code has it', ({ page, says }) => {
  expect(oneLine(readPage(page)).includes(says), `${page} does not`).toBe(true)
})

describe('the benchmarks', () => {
  const [answers = '', figures = ''] = readPage('docs/reference/benchmarks.md').split('## Figures')
  const valueIn = (row: string): string | undefined =>
    figures
      .split('\n')
      .find((line) => line.startsWith(`| ${row}`))
      ?.split('|')[2]
      ?.replace('/s', '')
      .trim()

  it('say at the top what the table says', () => {
    const numbers = answers.match(/\d{1,2},\d{3}/g) ?? []
    expect(numbers.length).toBeGreaterThan(7)
    expect(numbers.filter((number) => !figures.includes(number))).toEqual([])
  })

  it('say what the README says', () => {
    const [, readme] = /([\d,]+) emails a second are accepted, sent and shown as sent/.exec(readPage('README.md')) ?? []
    expect(readme).toMatch(/^\d{1,2},\d{3}$/)
    expect(valueIn('accepted, sent over SMTP and `sent` visible')).toBe(readme)
  })
})
