import { type MergedContent, type MergedText, mergeValues, Refused } from '@tidings/domain'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { textOfHtml } from '../../src/html/text-of-html.ts'
import { type Tracking, trackHtml } from '../../src/links/track-html.ts'
import { joinedText } from '../../src/merge/compiled-text.ts'
import { joinedEmail } from '../../src/merge/merged-email.ts'
import { type EmailTemplate, renderEmail } from '../../src/merge/render-email.ts'
import { mailOutline } from '../../src/outline/mail-outline.ts'
import { trackedMail } from '../../src/outline/outlined-mail.ts'

const tracking: Tracking = { linkTo: (address, link) => (address.endsWith('keep') ? null : `[${link} ${address}]`), pixel: 'P' }

/** The mail as it is where what other mails of its version look like is not known. */
const readAlone = (html: string, text: string | null = null) => ({ html: trackHtml(html, tracking), text: text ?? textOfHtml(html) })

const textsWith = (html: string, text: string | null = null) => ({ subject: 's', html, text })
const mergedOf = (html: MergedText, text: MergedText | null = null): MergedContent => ({ subject: 's', html, text })

/** A template with `%` where something is merged in, and the pieces of a mail with these values. */
const piecesOf = (marked: string, values: readonly string[]): Readonly<{ template: string; pieces: MergedText }> => {
  const parts = marked.split('%')
  const pieces: (string | readonly [number, number])[] = []
  let at = 0
  parts.forEach((part, n) => {
    if (n > 0 && values[n - 1]) pieces.push(values[n - 1] ?? '')
    if (part !== '') pieces.push([at, at + part.length])
    at += part.length
  })
  return { template: parts.join(''), pieces }
}

/** Null where the mail has to be read by itself. */
const byOutline = (marked: string, values: readonly string[]) => {
  const { template, pieces } = piecesOf(marked, values)
  const outline = mailOutline(pieces, template)
  if (!outline?.fits(values)) return null
  return { html: outline.html(values, tracking), text: outline.text(values) }
}
const filled = (marked: string, values: readonly string[]): string =>
  marked
    .split('%')
    .map((part, n) => (n === 0 ? part : `${values[n - 1]}${part}`))
    .join('')

describe('a mail that is put into what others of its version have in common', () => {
  test.each([
    ['<p>Dear %,</p>\n<p>you have % points.</p>', ['Ada Lovelace', '12']],
    ['<title>For %</title><body>Hi %<br>%</body></html>', ['Ada', 'Zoë', 'ada@example.com']],
    ['<a href="%">Unsubscribe</a>', ['https://mail.example/u?t=AbC_d-9']],
    ["<A class=b HREF = '%'>%</A>", ['https://shop.example/', 'Shop']],
    ['<a href="https://shop.example/?c=%&amp;d=1">% pieces</a><img src="https://i.example/%.png" alt="a">', ['7', 'Two', 'x-1']],
    ['<a href="https://shop.example/%"></a>', ['x']],
    ['<a href="https://%/b">keep</a> and <a href="https://shop.example/%">it</a>', ['shop.example', 'keep']],
    ['<ul><li>%<li>%</ul><pre>\n  %\n</pre>', ['a', 'b', 'c']],
    ['<td style="display:none">%</td><td>%</td>', ['a', 'b']],
    ['%', ['word']],
    ['<svg><title>%</title></svg>', ['a']],
    ['<p>%', ['a']],
  ])('%s is the same', (marked, values) => {
    expect(byOutline(marked, values)).toEqual(readAlone(filled(marked, values)))
  })

  test.each([
    ['a value with markup', '<p>%</p>', ['<b>x</b>']],
    ['a value with a reference', '<p>%</p>', ['d&#39;Arc']],
    ['a value with blanks at an end', '<p>a%b</p>', [' c ']],
    ['a value with two blanks', '<p>%</p>', ['a  b']],
    ['a value that is no letter', '<p>%</p>', ['\u00ad']],
    ['what a reference begins before', '<p>&am%</p>', ['p']],
    ['what a numbered reference begins before', '<p>&#%;</p>', ['65']],
    ['a tag that it would open', '<p><%>x</p>', ['b']],
    ['an end of a title that it would complete', '<title>a</titl%>', ['e']],
    ['a style', '<p style="%">x</p>', ['display']],
    ['a class', '<style>.a{display:none}</style><p class="%">x</p>', ['a']],
    ['a style sheet', '<style>.%{display:none}</style><p class="a">x</p>', ['a']],
    ['a script', '<script>%</script>', ['a']],
    ['a comment', '<!--[if %]>x<![endif]-->', ['mso']],
    ['a size', '<img alt="a" width="%">', ['1']],
    ['a number of an item', '<ol start="%"><li>a</ol>', ['7']],
    ['an address without quotes', '<a href=%>x</a>', ['https://x.example']],
    ['an address that leads nowhere', '<a href="%">x</a>', ['mailto:ada@example.com']],
    ['an address of a mail', '<a href="mailto:%">x</a>', ['ada@example.com?subject=x']],
    ['the name of an attribute', '<p %="a">x</p>', ['hidden']],
    ['the name of an element', '<% hidden>x', ['p']],
    ['html in an iframe', '<iframe>%</iframe>', ['a']],
  ])('is read by itself because of %s', (_, marked, values) => {
    expect(byOutline(marked, values)).toBeNull()
    const { template, pieces } = piecesOf(marked, values)
    expect(trackedMail(mergedOf(pieces), textsWith(template), tracking)).toEqual(readAlone(filled(marked, values)))
  })

  test.each([
    ['<a href="https://%">%</a>', ['shop.example', 'shop.example']],
    ['<a href="%">shop.example</a>', ['https://Shop.example']],
    ['<a href="https://shop.example/é?%">x</a>', ['a']],
  ])('has the text of its html where it depends on what a link reads: %s', (marked, values) => {
    expect(byOutline(marked, values)?.text).toBeNull()
    const { template, pieces } = piecesOf(marked, values)
    expect(trackedMail(mergedOf(pieces), textsWith(template), tracking)).toEqual(readAlone(filled(marked, values)))
  })

  test('has its own text where it has one', () => {
    const { template, pieces } = piecesOf('<p>%</p>', ['a'])
    expect(trackedMail(mergedOf(pieces, [[0, 4], 'b']), textsWith(template, 'Dear'), tracking).text).toBe('Dearb')
  })

  test('is none of another where a value is missing, and none of another version', () => {
    const texts = textsWith('<p>, <i></i></p>')
    const say = (...pieces: MergedText) => trackedMail(mergedOf(pieces), texts, tracking).text
    expect(say([0, 3], 'Ada', [3, 8], 'Lovelace', [8, 16])).toBe('Ada, Lovelace')
    expect(say([0, 3], [3, 8], 'Lovelace', [8, 16])).toBe(', Lovelace')
    expect(say([0, 3], 'Eve', [3, 8], 'Adams', [8, 16])).toBe('Eve, Adams')
    const other = textsWith('<b>! <i></i></b>')
    expect(trackedMail(mergedOf([[0, 3], 'Ada', [3, 8], 'Lovelace', [8, 16]]), other, tracking).text).toBe('Ada! Lovelace')
  })

  test('is the same of a version of which there are more kinds than are kept', () => {
    const names = Array.from({ length: 12 }, (_, n) => `n${n}`)
    const texts = textsWith('<p></p>'.repeat(12))
    for (const missing of names) {
      const pieces = names.flatMap((name, n) => [
        [7 * n, 7 * n + 3] as const,
        ...(name === missing ? [] : [name]),
        [7 * n + 3, 7 * n + 7] as const,
      ])
      expect(trackedMail(mergedOf(pieces), texts, tracking)).toEqual(readAlone(joinedText(pieces, texts.html)))
    }
  })
})

/** What authors write, with `%` at each place where a value may come to stand. */
const MARKED = [
  ...['%', '% ', ' %', '&%', '&am%', '&#%;', '&copy%', '<%', '</%', '</titl%', '<!%', '<!--%', '-->', '--%>', '<![CDATA[%', ']]>', '%>'],
  ...[
    '<a href="%">',
    '<a href="%" title="%">',
    "<a href='%'>",
    '<a href=%>',
    '<a href="https://x.example/%">',
    '<a href="https://%">',
    '</a>',
  ],
  ...[
    '<a href="http%://y.example">',
    '<a href=" https://x.example/&copy%">',
    '<a href="mailto:%">',
    '<area href="%" alt="%">',
    '<a % href="%">',
  ],
  ...['<a href="https://é.example/%">', '<a href="#%">', 'https://%', 'x.example', '<a name="</b%/">', '</b "%">', '<a href="a" href="%">'],
  ...[
    '<p class="%">',
    '<p style="%">',
    '<p title="%">',
    '<p id=%>',
    '<img alt="%" src="%">',
    '<img width=%>',
    '<ol start="%">',
    '<li value="%">',
    '<li>',
  ],
  ...[
    '<title>',
    '</title>',
    '<textarea>',
    '</textarea>',
    '<style>',
    '</style>',
    '.%{display:none}',
    '<script>',
    '</script>',
    '<iframe>',
    '</iframe>',
  ],
  ...[
    '<svg>',
    '</svg>',
    '<pre>',
    '</pre>',
    '<td>',
    '<table>',
    '</table>',
    '<div hidden>',
    '</div>',
    '<br>',
    '\n',
    '  ',
    'word',
    '😀',
    'שלום',
    '&zwnj;',
  ],
  ...['<body>', '</body>', '<!--[if mso]>', '<![endif]-->', '"', "'", '>', '=', '/', ';'],
]
const VALUES = [
  ...[
    'Ada',
    'Zoë',
    'a b',
    '7',
    'ada@example.com',
    'x.example',
    'www.x.example',
    'https://x.example',
    'https://x.example/u?t=a-_b',
    'p',
    'e',
    'amp',
  ],
  ...[
    'display',
    'hidden',
    'a',
    'keep',
    'https',
    's',
    '😀',
    ' ',
    'a  b',
    ' a',
    '"',
    "'",
    '<b>',
    '</p>',
    '&amp;',
    '&lt',
    ';',
    '>',
    '--',
    '-->',
    '/',
    'x\ny',
    '1',
  ],
]

describe('any mail', () => {
  test('of any pieces and values is the same as if it was read by itself', () => {
    let outlined = 0
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...MARKED), { minLength: 1, maxLength: 12 }),
        fc.infiniteStream(fc.oneof(fc.constantFrom(...VALUES.slice(0, 19)), fc.constantFrom(...VALUES))),
        (parts, stream) => {
          const marked = parts.join('')
          const values = [...stream.take(marked.split('%').length - 1)]
          const { template, pieces } = piecesOf(marked, values)
          const texts = textsWith(template)
          const alone = readAlone(filled(marked, values))
          expect(trackedMail(mergedOf(pieces), texts, tracking)).toEqual(alone)
          expect(trackedMail(mergedOf(pieces), texts, tracking)).toEqual(alone)
          if (byOutline(marked, values) !== null) outlined++
        },
      ),
      { numRuns: 4_000, seed: 34 },
    )
    expect(outlined).toBeGreaterThan(400)
  })

  test('that a template with tags gives is the same for every recipient', () => {
    const rendered = (of: EmailTemplate, fields: Readonly<Record<string, string>>) => {
      try {
        return renderEmail(of, mergeValues(null, fields)).ofTemplate.merged
      } catch (error) {
        if (error instanceof Refused) return null
        throw error
      }
    }
    const template = fc
      .array(fc.constantFrom(...MARKED.filter((part) => !part.includes('{'))), { maxLength: 10 })
      .map((parts) => parts.join('').replaceAll('%', '{{x|you}}').concat('{{y}}.'))
    fc.assert(
      fc.property(
        template,
        fc.array(fc.record({ x: fc.constantFrom(...VALUES), y: fc.constantFrom(...VALUES) }), { maxLength: 4 }),
        (html, all) => {
          const of = { subject: 's', html, text: null, fromName: null }
          for (const fields of all) {
            const merged = rendered(of, fields)
            if (merged !== null) expect(trackedMail(merged, of, tracking)).toEqual(readAlone(joinedEmail(merged, of).html))
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('with more places than are looked at together is read by itself', () => {
    const { template, pieces } = piecesOf(
      '<p>%</p>'.repeat(3_000),
      Array.from({ length: 3_000 }, () => 'a'),
    )
    expect(mailOutline(pieces, template)).toBeNull()
    expect(trackedMail(mergedOf(pieces), textsWith(template), tracking)).toEqual(readAlone('<p>a</p>'.repeat(3_000)))
  })
})
