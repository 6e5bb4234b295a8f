import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { describe, expect, it } from 'vitest'
import { nextToken, type Token } from './next-token.ts'

const tokensOf = (html: string): readonly Token[] => {
  const tokens: Token[] = []
  for (let token = nextToken(html, 0); token !== null; token = nextToken(html, token.next)) tokens.push(token)
  return tokens
}
const shown = (html: string) =>
  tokensOf(html).map((token) => {
    const text = html.slice(token.from, token.to)
    return token.kind === 'tag' ? `${token.isClosing ? '/' : ''}${token.name}` : `${token.kind} ${text}`
  })

describe('a token', () => {
  it.each([
    ['1 < 2 <b>x</B >', ['text 1 < 2 ', 'b', 'text x', '/b']],
    ['<a title="a > b">x', ['a', 'text x']],
    ['a<!-- <b> -->c', ['text a', 'comment <!-- <b> -->', 'text c']],
    ['<!-- a --!>b', ['comment <!-- a --!>', 'text b']],
    ['<!doctype html><p>', ['comment <!doctype html>', 'p']],
    ['<1>', ['text <1>']],
    ['a</', ['text a</']],
    ['a<b href="', ['text a', 'unclosed <b href="']],
    ['<style>a<b></style>c', ['style', '/style', 'text c']],
  ])('of %s', (html, tokens) => {
    expect(shown(html)).toEqual(tokens)
  })

  it('of an element that holds text only has that text behind its tag', () => {
    const html = '<textarea>a <b></textarea>'
    const [token] = tokensOf(html)
    expect(html.slice(token?.to, token?.next)).toBe('a <b>')
  })
})

describe('whatever the html,', () => {
  const pieces = [
    '<a ',
    '<br',
    'href=',
    '"',
    "'",
    '>',
    '/',
    '=',
    ' ',
    '</a>',
    '<p>',
    'text',
    '<!--',
    '--',
    '!',
    '<style>',
    '</style>',
    '<',
    '&amp;',
    '?',
  ]
  const html = fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))

  it('another library finds the same start tags', () => {
    fc.assert(
      fc.property(html, (any) => {
        const others: string[] = []
        new Parser({ onopentag: (name) => others.push(name) }).end(any)
        const ours = tokensOf(any).flatMap((token) => (token.kind === 'tag' && !token.isClosing ? [token.name] : []))
        // That library makes a paragraph of an end tag without a start.
        expect(ours.filter((name) => name !== 'p')).toEqual(others.filter((name) => name !== 'p'))
      }),
      { numRuns: 2_000 },
    )
  })

  it('the tokens are all of it, in order', () => {
    fc.assert(
      fc.property(fc.oneof(html, fc.string()), (any) => {
        let at = 0
        for (const token of tokensOf(any)) {
          expect(token.from).toBe(at)
          expect(token.to).toBeGreaterThan(token.from)
          expect(token.next).toBeGreaterThanOrEqual(token.to)
          at = token.next
        }
        expect(at).toBe(any.length)
      }),
    )
  })
})
