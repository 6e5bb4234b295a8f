import { describe, expect, it } from 'vitest'
import { constants } from './constants.ts'
import { limitConstants } from './limit-constants.ts'
import { readPage } from './markdown.ts'

const oneLine = (text: string): string => text.replace(/\s+/g, ' ')

it.each([...constants(), ...limitConstants()])('$page says "$says", as the code has it', ({ page, says }) => {
  expect(oneLine(readPage(page)).includes(says), `${page} does not`).toBe(true)
})

describe('the benchmarks', () => {
  const cellsOf = (page: string): readonly (readonly string[])[] =>
    readPage(page)
      .split('\n')
      .filter((line) => line.startsWith('|') && !line.startsWith('|---'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
  const rows = cellsOf('docs/reference/benchmarks.md')
  const numbersIn = (text: string): readonly number[] =>
    (text.match(/[\d,]+(\.\d+)?/g) ?? []).map((number) => Number(number.replaceAll(',', '')))
  const mean = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length

  it('say ratios that are those of the figures beside them', () => {
    const ratios = rows.filter((row) => row.length === 5 && /^[\d.]+$/.test(row[2] ?? ''))
    expect(ratios.length).toBeGreaterThan(7)
    const wrong = ratios.filter(([, , ratio = '', ours = '', theirs = '']) => {
      const exact = mean(numbersIn(ours).slice(0, 1)) / mean(numbersIn(theirs))
      return Math.abs(exact - Number(ratio)) > 0.5 * 10 ** -(ratio.split('.')[1]?.length ?? 0) + 1e-9
    })
    expect(wrong).toEqual([])
  })

  it('say what the README and the page for developers say', () => {
    const [, readme] = /([\d,]+) emails a second are accepted, sent and shown as sent/.exec(readPage('README.md')) ?? []
    expect(readme).toMatch(/^\d{1,2},\d{3}$/)
    expect(rows.find(([what]) => what === 'emails accepted, sent and shown as `sent`')?.[1]).toMatch(new RegExp(`^${readme} /s`))
    const developers = cellsOf('test/bench/README.md')
    expect(developers.find(([what]) => what === 'accepted, sent and `sent` visible')?.[1]).toBe(`${readme} /s`)
  })
})
