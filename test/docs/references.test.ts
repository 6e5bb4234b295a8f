import { describe, expect, it } from 'vitest'
import { deadReferencesIn, type Targets } from './references.ts'

const targets: Targets = {
  paths: new Set(['docs/adr/0006-directory-caches.md', 'docs/reference/rules.md', 'consumers/src/send/gates.ts']),
  endings: new Set(['gates.ts', 'send/gates.ts', 'rules.md', 'docs/reference/rules.md', 'src/send', 'consumers/src/send']),
  rules: new Set(['m5', 'n171']),
  sections: new Set(['Errors']),
  packages: new Set(['@tidings/codec', '@tidings/codec/keys']),
  scripts: new Set(['check']),
}

const deadIn = (text: string, file = 'consumers/src/send/send-email.ts') =>
  deadReferencesIn(file, text, targets).map(({ line, reference }) => `${line}: ${reference}`)

describe('a reference that leads somewhere is passed', () => {
  it.each([
    '// The rules of M5 and N171 hold (contract: Errors).',
    '/** See gates.ts, `send/gates.ts`, ADR 6 and docs/reference/rules.md#m5. */',
    'const x = 1 // as consumers/src/send does, with @tidings/codec/keys',
    ' * npm run check',
  ])('%s', (text) => expect(deadIn(text)).toEqual([]))

  it('a name that a reader makes, and what is no comment', () => {
    expect(deadIn('write it to `shop.yaml`', 'docs/README.md')).toEqual([])
    expect(deadIn("import { gone } from './gone.ts'\nconst M99 = 'packages/gone'")).toEqual([])
    expect(deadIn('```\ncat gone.md\n```', 'docs/README.md')).toEqual([])
  })
})

describe('a reference that leads nowhere is named with its line', () => {
  it.each([
    ['// one rule (rulings.md M5)', '1: rulings.md'],
    ['\n * the rule M199', '2: M199'],
    ['/** As (contract: Fees) has it. */', '1: Fees'],
    ['// see docs/reference/rules.md#m199', '1: docs/reference/rules.md#m199'],
    ['// see packages/gone', '1: packages/gone'],
    ['// of @tidings/gone', '1: @tidings/gone'],
    ['// ADR 99', '1: ADR 99'],
    ['// npm run gone', '1: gone'],
  ])('%s', (text, dead) => expect(deadIn(text)).toEqual([dead]))

  it('in the prose of a page as well', () => {
    expect(deadIn('Look at `gone.ts`.', 'docs/README.md')).toEqual(['1: gone.ts'])
  })
})
