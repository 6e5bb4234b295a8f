import { decodeHTMLAttribute } from 'entities/decode'
import fc from 'fast-check'
import { type DefaultTreeAdapterMap, parse } from 'parse5'
import { describe, expect, it } from 'vitest'
import { readHtml, type Span } from '../../src/html/read-html.ts'

type Node = DefaultTreeAdapterMap['node']

/** What is read, in order: tags by their names, all else as it is written. */
const shown = (html: string): readonly string[] => {
  const found: string[] = []
  const written = ({ from, to }: Span) => html.slice(from, to)
  readHtml(html, {
    startTag: ({ name }) => found.push(name),
    endTag: ({ name }) => found.push(`/${name}`),
    text: (text, within) => found.push(`${within ?? 'text'}: ${written(text)}`),
    comment: (comment) => found.push(`comment: ${written(comment)}`),
    unclosed: (tag) => found.push(tag === null ? 'unclosed' : `unclosed: ${written(tag)}`),
  })
  return found
}

/** Each start tag with its attributes, decoded. */
const startTags = (html: string): readonly string[] => {
  const found: string[] = []
  readHtml(html, {
    startTag: ({ from, name, attributes }) => {
      const values = new Map<string, string>()
      for (const { name: key, value } of attributes)
        if (!values.has(key)) values.set(key, value === null ? '' : decodeHTMLAttribute(html.slice(value.from, value.to)))
      found.push(JSON.stringify([from, name, [...values].sort()]))
    },
  })
  return found
}

/** The same as the tree of parse5 has them. */
const startTagsOfOther = (html: string): readonly string[] => {
  const found = new Map<number, string>()
  const visit = (node: Node): void => {
    const from = 'tagName' in node ? node.sourceCodeLocation?.startTag?.startOffset : undefined
    if (from !== undefined && 'tagName' in node) {
      const attributes = node.attrs.map(({ name, value }) => [name, value]).sort()
      found.set(from, JSON.stringify([from, node.tagName.toLowerCase(), attributes]))
    }
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html, { sourceCodeLocationInfo: true, scriptingEnabled: false }))
  return [...found.entries()].sort(([a], [b]) => a - b).map(([, tag]) => tag)
}

describe('html is read as browsers read it:', () => {
  it.each([
    ['1 < 2 <b>x</B >', ['text: 1 < 2 ', 'b', 'text: x', '/b']],
    ['<a title="a > b">x', ['a', 'text: x']],
    ['a<!-- <b> -->c', ['text: a', 'comment: <!-- <b> -->', 'text: c']],
    ['<!-- a --!>b', ['comment: <!-- a --!>', 'text: b']],
    ['<!--><b><!---><i>', ['comment: <!-->', 'b', 'comment: <!--->', 'i']],
    ['<!doctype html><p>', ['comment: <!doctype html>', 'p']],
    ['<?x><b></ x><b>', ['comment: <?x>', 'b', 'comment: </ x>', 'b']],
    ['<1>', ['text: <1>']],
    ['a</>b', ['text: a', 'text: b']],
    ['a\0<b\0>c', ['text: a\0', 'b\0', 'text: c']],
    ['<!--[if mso]><a href="x"><![endif]-->', ['comment: <!--[if mso]><a href="x"><![endif]-->']],
    ['<![if !mso]>x<![endif]>', ['comment: <![if !mso]>', 'text: x', 'comment: <![endif]>']],
    ['<a </a <b>x', ['a', 'text: x']],
    ['<a</b c=">">x', ['a<', 'text: x']],
    ['</></a b=">"><</a b=">">', ['/a', 'text: <', '/a']],
    ['<td\n/b=c></td b=">">x</td/>', ['td', '/td', 'text: x', '/td']],
  ])('%j', (html, read) => {
    expect(shown(html)).toEqual(read)
  })

  it.each(['script', 'style', 'title', 'textarea', 'xmp', 'iframe', 'noembed', 'noframes'])('what is in a %s is text', (name) => {
    const inside = `a<b></b><!-- </${name}x>&amp;</ ${name}`
    expect(shown(`<${name.toUpperCase()}>${inside}</${name} >c`)).toEqual([name, `${name}: ${inside}`, `/${name}`, 'text: c'])
  })

  it('a plaintext has no end', () => {
    expect(shown('<plaintext></plaintext><b>')).toEqual(['plaintext', 'plaintext: </plaintext><b>', 'unclosed'])
  })

  it('a style and a title of a drawing hold markup, also where another follows', () => {
    expect(shown('<svg><style><a></style><title><b></title></svg><style><a></style>')).toEqual([
      ...['svg', 'style', 'a', '/style', 'title', 'b', '/title', '/svg'],
      ...['style', 'style: <a>', '/style'],
    ])
    expect(shown('<svg><p><style><a>')).toEqual(['svg', 'p', 'style', 'style: <a>', 'unclosed'])
    expect(shown('<svg/><style><a>')).toEqual(['svg', 'style', 'style: <a>', 'unclosed'])
    expect(shown('<svg><title><title></title><style><a></style>')).toEqual([
      ...['svg', 'title', 'title', '/title', 'style', 'style: <a>', '/style'],
    ])
  })

  it('a CDATA section is text in a drawing, and a comment elsewhere', () => {
    expect(shown('<svg><![CDATA[a><b>]]></svg>')).toEqual(['svg', 'text: a><b>', '/svg'])
    expect(shown('<![CDATA[a><b>]]>')).toEqual(['comment: <![CDATA[a>', 'b', 'text: ]]>'])
    expect(shown('<a title="<![CDATA[">x<style><![CDATA[</style>')).toEqual(['a', 'text: x', 'style', 'style: <![CDATA[', '/style'])
  })

  it.each([
    ['a<b href="', ['text: a', 'unclosed: <b href="']],
    ['a<b', ['text: a', 'unclosed: <b']],
    ['a</b ', ['text: a', 'unclosed: </b ']],
    ['<br/', ['unclosed: <br/']],
    ['a</', ['text: a</', 'unclosed']],
    ['<!-- a', ['comment: <!-- a', 'unclosed']],
    ['<title>a</titl', ['title', 'title: a</titl', 'unclosed']],
    ['<svg><![CDATA[a', ['svg', 'comment: <![CDATA[a', 'unclosed']],
  ])('%j never ends', (html, read) => {
    expect(shown(html)).toEqual(read)
  })

  it('an attribute has the place of its value', () => {
    const html = `<A Href = "a&amp;b" HREF='c' d e=f/g h="">`
    readHtml(html, {
      startTag: ({ name, attributes }) => {
        expect(name).toBe('a')
        expect(attributes.map((one) => [one.name, one.value && html.slice(one.value.from, one.value.to)])).toEqual([
          ...[
            ['href', 'a&amp;b'],
            ['href', 'c'],
            ['d', null],
          ],
          ...[
            ['e', 'f/g'],
            ['h', ''],
          ],
        ])
      },
    })
    expect.assertions(2)
  })
})

describe('whatever the html,', () => {
  const markup = [
    ...[
      '<a ',
      '<br',
      'href=',
      'HREF =',
      '"',
      "'",
      '>',
      '/',
      '=',
      ' ',
      '\n',
      '</a>',
      '</a ',
      '</',
      '<p>',
      'text',
      '&amp;',
      '&#x3A;',
      '&amp',
      '?',
    ],
    ...['<!--', '--', '!', '-->', '<![CDATA[', ']]>', '<!doctype ', '<', 'javascript:\t'],
  ]
  const htmlOf = (pieces: readonly string[]) => fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(''))
  const html = htmlOf([...markup, '<style>', '</style>', '<textarea>', '</textarea>', '<title>', '</title>', '<xmp>', '</xmp>'])
  const drawing = htmlOf([
    '<svg>',
    '<math>',
    '<g>',
    '<g/>',
    '<style>',
    '<a ',
    'href=',
    '"',
    '>',
    'text',
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<p>',
    ' ',
  ])

  it.each([
    ['mails', html],
    ['drawings', drawing],
  ])('another parser finds the same start tags at the same places, with the same attributes, in %s', (_, any) => {
    fc.assert(
      fc.property(any, (text) => void expect(startTags(text)).toEqual(startTagsOfOther(text))),
      { numRuns: 3_000 },
    )
  })

  it('what is read stands in it in order, each once', () => {
    fc.assert(
      fc.property(fc.oneof(html, drawing, fc.string()), (any) => {
        let at = 0
        const see = ({ from, to }: Span): void => {
          expect(from).toBeGreaterThanOrEqual(at)
          expect(to).toBeGreaterThan(from)
          at = to
        }
        readHtml(any, { startTag: see, endTag: see, text: see, comment: see })
        expect(at).toBeLessThanOrEqual(any.length)
      }),
    )
  })
})
